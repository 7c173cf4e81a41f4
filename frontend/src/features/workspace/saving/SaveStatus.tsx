import { CircleAlert, CircleCheck, CircleDashed } from "lucide-react";
import { cx } from "@/lib/cx";
import { useNow } from "@/lib/use-now";
import { saveMessage } from "./save-messages";
import type { Phase } from "./save-state";
import { useSaveState } from "./saver-context";

/** Shows the state of the save. Screen readers get its news from `useSaveNews`: this text changes with each key. */
export function SaveStatus({ className }: { className?: string }) {
  const { phase } = useSaveState();
  return (
    <span
      data-save={phase.is}
      className={cx("inline-flex min-w-0 items-center gap-1.5", isBad(phase) && "font-medium text-danger", className)}
    >
      {phase.is === "saved" && <CircleCheck aria-hidden className="size-3.5 shrink-0 text-ok" />}
      {!isBad(phase) && phase.is !== "saved" && <CircleDashed aria-hidden className="size-3.5 shrink-0" />}
      {isBad(phase) && <CircleAlert aria-hidden className="size-3.5 shrink-0" />}
      <span className="min-w-0">{phase.is === "waiting" ? <Countdown phase={phase} /> : saveMessage(phase, 0)}</span>
    </span>
  );
}

function Countdown({ phase }: { phase: Phase }) {
  return saveMessage(phase, useNow(1000));
}

function isBad({ is }: Phase): boolean {
  return is === "waiting" || is === "signed-out" || is === "conflict" || is === "refused" || is === "deleted";
}
