import type { TransferShown } from "@/api/types";
import { Button } from "@/components/ui/Button";
import { Skeleton } from "@/components/ui/Skeleton";
import { cx } from "@/lib/cx";
import { ROW, TransferRow } from "./TransferRow";

const SHEET = "overflow-hidden rounded-lg bg-paper shadow-sheet";

interface TransferListProps {
  transfers: readonly TransferShown[];
  /** What is shown is of the filters before; the new ones are on their way. */
  stale: boolean;
  /** Loads more, if there are more. */
  onMore: (() => void) | null;
  loadingMore: boolean;
}

/** Transfers, one under the other, and more of them on demand. */
export function TransferList({ transfers, stale, onMore, loadingMore }: TransferListProps) {
  return (
    <div aria-busy={stale || undefined} className={cx(SHEET, "transition-opacity", stale && "opacity-60")}>
      <ul aria-label="Transfers" aria-busy={stale}>
        {transfers.map((transfer) => (
          <TransferRow key={transfer.id} transfer={transfer} />
        ))}
      </ul>
      {onMore && (
        <div className="flex justify-center border-line border-t p-3">
          <Button onClick={onMore} busy={loadingMore}>
            Show more
          </Button>
        </div>
      )}
    </div>
  );
}

/** The shape of the list while it loads. */
export function TransferListSkeleton() {
  return (
    <div role="status" className={SHEET}>
      <span className="sr-only">Loading the transfers</span>
      {["wide", "wider", "widest"].map((row) => (
        <div key={row} aria-hidden className={cx(ROW, "border-line border-b last:border-b-0")}>
          <Skeleton lines={2} className="max-w-80 gap-2!" />
          <Skeleton lines={1} className="max-w-48" />
          <Skeleton lines={1} className="hidden md:flex" />
          <Skeleton lines={1} className="hidden md:flex" />
        </div>
      ))}
    </div>
  );
}
