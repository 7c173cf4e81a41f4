import type { ReactNode } from "react";
import type { EntryShown } from "@/api/types";
import { Skeleton } from "@/components/ui/Skeleton";
import { EntryRow, ROW } from "./EntryRow";

const SHEET = "overflow-hidden rounded-lg bg-paper shadow-sheet";

/** Received documents, one under the other. `more`: what brings more of them. */
export function EntryList({ entries, more }: { entries: readonly EntryShown[]; more: ReactNode }) {
  return (
    <div className={SHEET}>
      <ul aria-label="Received documents">
        {entries.map((entry) => (
          <EntryRow key={entry.id} entry={entry} />
        ))}
      </ul>
      {more && <div className="flex justify-center border-line border-t p-3">{more}</div>}
    </div>
  );
}

/** The shape of the list while it loads. */
export function EntryListSkeleton() {
  return (
    <div role="status" className={SHEET}>
      <span className="sr-only">Loading the inbox</span>
      {["wide", "wider", "widest"].map((row) => (
        <div key={row} aria-hidden className={`${ROW} border-line border-b last:border-b-0`}>
          <Skeleton lines={2} className="max-w-80 gap-2!" />
          <Skeleton lines={1} className="hidden md:flex" />
          <Skeleton lines={1} className="hidden md:flex" />
          <Skeleton lines={1} className="hidden md:flex" />
        </div>
      ))}
    </div>
  );
}
