/** The state of a save in words. */
import { t } from "@lingui/core/macro";
import { UNREACHABLE } from "@/api/problem";
import type { Phase } from "./save-state";

/** The state of the document in a few words; `now` in milliseconds. */
export function saveMessage(phase: Phase, now: number): string {
  switch (phase.is) {
    case "saved":
      return t`Saved`;
    case "changed":
      return t`Not saved yet`;
    case "saving":
    case "comparing":
      return t`Saving…`;
    case "waiting": {
      const seconds = Math.max(0, Math.ceil((phase.dueAt - now) / 1000));
      return `${waitingFor(phase)} ${seconds === 0 ? t`Trying again now` : t`Trying again in ${seconds} s`}`;
    }
    case "signed-out":
      return t`Not saved: you are signed out`;
    case "conflict":
      return t`Not saved: it was also saved elsewhere`;
    case "refused":
      return t`Not saved. ${{ reason: phase.problem.detail }}`;
    case "deleted":
      return t`Deleted elsewhere`;
  }
}

function waitingFor({ problem }: Phase & { is: "waiting" }): string {
  return problem.status === UNREACHABLE
    ? t`Not saved: the gateway cannot be reached.`
    : t`Not saved. ${{ reason: problem.detail }}`;
}

/**
 * What a screen reader announces when one phase follows the other; null: nothing. Saving that works is no news.
 * `calm` is the last phase before that was not on its way to another.
 */
export function saveAnnouncement(calm: Phase, phase: Phase): string | null {
  if (calm.is === phase.is) return null;
  switch (phase.is) {
    case "saved":
      return calm.is === "waiting" || calm.is === "signed-out" || calm.is === "refused" ? t`Saved again.` : null;
    case "waiting":
      return `${waitingFor(phase)} ${t`The page keeps trying until it is saved.`}`;
    case "signed-out":
    case "conflict":
    case "refused":
      return saveMessage(phase, 0);
    default:
      return null;
  }
}
