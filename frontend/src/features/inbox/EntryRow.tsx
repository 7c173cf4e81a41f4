import { Link } from "@tanstack/react-router";
import type { EntryShown } from "@/api/types";
import { Bytes } from "@/components/ui/Bytes";
import { RelativeTime } from "@/components/ui/RelativeTime";
import { cx } from "@/lib/cx";
import { EntryShare } from "./EntryShare";
import { knownBytes } from "./entry";
import { KeptUntil } from "./KeptUntil";

/** How a row divides from 768 px on; the skeleton of the list has it, too. */
export const ROW =
  "grid grid-cols-1 gap-2 px-4 py-4 sm:px-6 md:grid-cols-[minmax(0,1fr)_14rem_5.5rem_8rem] md:items-center md:gap-x-6";

/** One received document. The whole row leads to it. */
export function EntryRow({ entry }: { entry: EntryShown }) {
  const unread = entry.read_at === null;
  return (
    <li className={`${ROW} relative border-line border-b last:border-b-0 hover:bg-sunken`}>
      <div className="relative min-w-0">
        {unread && (
          <span aria-hidden className="absolute top-2 -left-3 size-2 rounded-full border-4 border-secure sm:-left-4" />
        )}
        <h2
          className={cx("wrap-anywhere line-clamp-2 font-serif text-[1.0625rem] leading-snug", unread && "font-bold")}
        >
          <Link
            to="/inbox/$id"
            params={{ id: entry.id }}
            className="no-underline after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:outline-focus focus-visible:after:-outline-offset-2"
          >
            {unread && <span className="sr-only">Unread:</span>} {entry.name}
          </Link>
        </h2>
        <p className="wrap-anywhere mt-1 text-quiet text-sm">
          From {entry.sender} at {entry.peer}
        </p>
        {entry.kept_until && <KeptUntil at={entry.kept_until} className="mt-1 text-sm" />}
      </div>
      <div className="max-w-80">
        <EntryShare entry={entry} />
      </div>
      <p className="flex gap-x-4 text-quiet text-sm md:contents">
        <Bytes value={knownBytes(entry)} className="md:text-right" />
        <span>
          <span className="md:sr-only">Received </span>
          <RelativeTime at={entry.received_at} />
        </span>
      </p>
    </li>
  );
}
