/** Where a transfer of the timings opens: its page if this gateway sent it, else the list of what arrived from that day on. */
import type { TimedTransfer, TimingsPoints } from "@/api/timings";

type Timed = Pick<TimedTransfer, "direction" | "transfer_id" | "at"> & { readonly peer?: string };

export function linkOf({ direction, transfer_id, at, peer }: Timed) {
  return direction === "sent"
    ? ({ to: "/sent/$id", params: { id: transfer_id } } as const)
    : ({
        to: "/admin/transfers",
        search: { view: "received", since: dayOf(new Date(at)), ...(peer !== undefined && { peer }) },
      } as const);
}

/** The point in this row. */
export function timedOf({ direction, transfer_id, at }: TimingsPoints, row: number): Timed {
  return {
    direction: direction[row] === "sent" ? "sent" : "received",
    transfer_id: transfer_id[row] ?? "",
    at: at[row] ?? new Date(0).toISOString(),
  };
}

/** "2026-11-21", in the reader's time zone. */
function dayOf(date: Date): string {
  const two = (number: number) => String(number).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
