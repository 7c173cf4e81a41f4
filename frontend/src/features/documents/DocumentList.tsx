import type { DraftShown } from "@/api/types";
import { Button } from "@/components/ui/Button";
import { Skeleton } from "@/components/ui/Skeleton";
import { cx } from "@/lib/cx";
import type { Deed } from "./DocumentMenu";
import { DocumentRow, ROW } from "./DocumentRow";

const SHEET = "overflow-hidden rounded-lg bg-paper shadow-sheet";

interface DocumentListProps {
  drafts: readonly DraftShown[];
  /** What is shown is of the search before; the new one is on its way. */
  stale: boolean;
  /** Loads more, if there are more. */
  onMore: (() => void) | null;
  loadingMore: boolean;
  onDeed: (deed: Deed, draft: DraftShown) => void;
}

/** Documents, one under the other, and more of them on demand. */
export function DocumentList({ drafts, stale, onMore, loadingMore, onDeed }: DocumentListProps) {
  return (
    <div className={cx(SHEET, "transition-opacity", stale && "opacity-60")}>
      <ul aria-label="Documents" aria-busy={stale}>
        {drafts.map((draft) => (
          <DocumentRow key={draft.id} draft={draft} onDeed={onDeed} />
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
export function DocumentListSkeleton() {
  return (
    <div role="status" className={SHEET}>
      <span className="sr-only">Loading the documents</span>
      {["wide", "wider", "widest"].map((row) => (
        <div key={row} aria-hidden className={cx(ROW, "border-line border-b last:border-b-0")}>
          <Skeleton lines={2} className="max-w-80 gap-2!" />
          <Skeleton lines={1} className="hidden md:flex" />
          <Skeleton lines={1} className="hidden md:flex" />
          <Skeleton lines={1} className="hidden md:flex" />
          <span className="size-10" />
        </div>
      ))}
    </div>
  );
}
