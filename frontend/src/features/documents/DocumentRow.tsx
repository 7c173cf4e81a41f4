import { Link } from "@tanstack/react-router";
import type { DraftShown } from "@/api/types";
import { Bytes } from "@/components/ui/Bytes";
import { RelativeTime } from "@/components/ui/RelativeTime";
import { ClassifiedShare } from "./ClassifiedShare";
import { type Deed, DocumentMenu } from "./DocumentMenu";
import { DraftState } from "./DraftState";

/** How a row divides from 768 px on; the skeleton of the list has it, too. */
export const ROW =
  "grid grid-cols-[minmax(0,1fr)_auto] gap-x-4 gap-y-2 px-4 py-4 sm:px-6 md:grid-cols-[minmax(0,1fr)_13.5rem_5.5rem_8rem_auto] md:items-center md:gap-x-6";

interface DocumentRowProps {
  draft: DraftShown;
  onDeed: (deed: Deed, draft: DraftShown) => void;
}

/** One document. The whole row leads to it; only the menu stands above the link. */
export function DocumentRow({ draft, onDeed }: DocumentRowProps) {
  return (
    <li className={`${ROW} relative border-line border-b last:border-b-0 hover:bg-sunken`}>
      <div className="min-w-0">
        <h2 className="wrap-anywhere line-clamp-2 font-serif text-[1.0625rem] leading-snug">
          <Link
            to="/documents/$id"
            params={{ id: draft.id }}
            data-draft={draft.id}
            className="no-underline after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:outline-focus focus-visible:after:-outline-offset-2"
          >
            {draft.name}
          </Link>
        </h2>
        <div className="mt-1">
          <DraftState draft={draft} />
        </div>
      </div>
      <div className="col-span-2 row-start-2 max-w-80 md:col-span-1 md:col-start-2 md:row-start-1">
        <ClassifiedShare draft={draft} />
      </div>
      <p className="col-span-2 row-start-3 flex gap-x-4 text-quiet text-sm md:contents">
        <Bytes value={draft.document_bytes} className="md:col-start-3 md:row-start-1 md:text-right" />
        <span className="md:col-start-4 md:row-start-1">
          <span className="md:sr-only">Changed </span>
          <RelativeTime at={draft.changed_at} />
        </span>
      </p>
      <div className="relative z-10 col-start-2 row-start-1 -mt-1.5 -mr-2 md:col-start-5 md:mt-0">
        <DocumentMenu draft={draft} onDeed={(deed) => onDeed(deed, draft)} />
      </div>
    </li>
  );
}
