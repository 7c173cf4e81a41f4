/** The phase of a transfer for people: from the state in its row and from live progress. */
import { t } from "@lingui/core/macro";
import type { ProgressShown, TransferShown, TransferState } from "@/api/types";

/**
 * `waiting`: in the queue, or for the next attempt. `reaching`: an attempt has begun, but sent nothing yet. `verified`:
 * the peer has every byte, and the gateway waits for its receipt.
 */
export type Phase = "waiting" | "reaching" | "sending" | "verified" | "delivered" | "failed" | "cancelled";

export const STATES: readonly TransferState[] = ["queued", "sending", "delivered", "failed", "cancelled"];

export const STATE_WORD: Record<TransferState, string> = {
  queued: t`Waiting`,
  sending: t`Sending`,
  delivered: t`Delivered`,
  failed: t`Failed`,
  cancelled: t`Cancelled`,
};

export const PHASE_WORD: Record<Phase, string> = {
  ...STATE_WORD,
  waiting: t`Waiting`,
  reaching: t`Connecting`,
  verified: t`Arrived`,
};

/** The state that `text` names, if it names one. */
export function asState(text: string | undefined): TransferState | undefined {
  return STATES.find((state) => state === text);
}

/** Whether the transfer has ended. */
export function isOver(state: string): boolean {
  return state === "delivered" || state === "failed" || state === "cancelled";
}

/**
 * The row, with the end of the transfer from a later event. For everything else the row counts, because events may be
 * missing.
 */
export function withLatest<Row extends TransferShown>(transfer: Row, progress: ProgressShown | null): Row {
  if (transfer.state !== "sending" || !progress || !isOver(progress.state)) return transfer;
  return { ...transfer, state: progress.state, reason: progress.reason, said: progress.said };
}

/** The state comes from the row; the latest event only adds the progress while it is sent. */
export function phaseOf(transfer: Pick<TransferShown, "state">, progress: ProgressShown | null): Phase {
  switch (transfer.state) {
    case "queued":
      return "waiting";
    case "sending":
      if (!progressOf(transfer, progress)) return "reaching";
      return progress?.verified ? "verified" : "sending";
    default:
      return transfer.state as Phase;
  }
}

/** The progress of the current attempt, if it has begun to send. */
export function progressOf(
  transfer: Pick<TransferShown, "state">,
  progress: ProgressShown | null,
): ProgressShown | null {
  if (transfer.state !== "sending" || progress?.state !== "sending") return null;
  return progress.verified || progress.secure_total + progress.plain_total > 0 ? progress : null;
}
