/** How a transfer stands, as people see it: its row's state, and, while it is sent, how far it is. */
import type { ProgressShown, TransferShown, TransferState } from "@/api/types";

/**
 * `waiting`: for its turn, or for the next attempt. `reaching`: it is its turn, and no byte has left. `verified`: the peer
 * has every byte, and its receipt is awaited.
 */
export type Phase = "waiting" | "reaching" | "sending" | "verified" | "delivered" | "failed" | "cancelled";

export const STATES: readonly TransferState[] = ["queued", "sending", "delivered", "failed", "cancelled"];

export const STATE_WORD: Record<TransferState, string> = {
  queued: "Waiting",
  sending: "Sending",
  delivered: "Delivered",
  failed: "Failed",
  cancelled: "Cancelled",
};

export const PHASE_WORD: Record<Phase, string> = {
  ...STATE_WORD,
  waiting: "Waiting",
  reaching: "Connecting",
  verified: "Arrived",
};

/** The state that `text` names, if it names one. */
export function asState(text: string | undefined): TransferState | undefined {
  return STATES.find((state) => state === text);
}

/** Whether nothing happens any more unless somebody asks for it. */
export function isOver(state: string): boolean {
  return state === "delivered" || state === "failed" || state === "cancelled";
}

/**
 * The row, or what an event has told since: that sending it is over. The row itself is then on its way; of what an
 * event says otherwise, the row is the judge, because events may have been missed.
 */
export function withLatest<Row extends TransferShown>(transfer: Row, progress: ProgressShown | null): Row {
  if (transfer.state !== "sending" || !progress || !isOver(progress.state)) return transfer;
  return { ...transfer, state: progress.state, reason: progress.reason };
}

/** The row says the state; the latest event only says how far a transfer is that is being sent. */
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

/** The bytes under way, if there are any. */
export function progressOf(
  transfer: Pick<TransferShown, "state">,
  progress: ProgressShown | null,
): ProgressShown | null {
  if (transfer.state !== "sending" || progress?.state !== "sending") return null;
  return progress.verified || progress.secure_total + progress.plain_total > 0 ? progress : null;
}
