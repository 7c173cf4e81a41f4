/** Where a transfer of the timings opens: its page if this gateway sent it, else its document in the list of what arrived. */
import type { TimedTransfer, TimingsPoints } from "@/api/timings";

type Timed = Pick<TimedTransfer, "direction" | "transfer_id">;

export function linkOf({ direction, transfer_id }: Timed) {
  return direction === "sent"
    ? ({ to: "/sent/$id", params: { id: transfer_id } } as const)
    : ({ to: "/admin/transfers", search: { view: "received", transfer: transfer_id } } as const);
}

/** The point in this row. */
export function timedOf({ direction, transfer_id }: TimingsPoints, row: number): Timed {
  return { direction: direction[row] === "sent" ? "sent" : "received", transfer_id: transfer_id[row] ?? "" };
}
