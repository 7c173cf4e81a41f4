import { Link } from "@tanstack/react-router";
import type { DraftShown } from "@/api/types";
import { Bytes } from "@/components/ui/Bytes";
import { Checkbox } from "@/components/ui/Checkbox";
import { RelativeTime } from "@/components/ui/RelativeTime";
import { cx } from "@/lib/cx";
import { ClassifiedShare } from "./ClassifiedShare";
import { type DocumentAction, DocumentMenu } from "./DocumentMenu";
import { DraftState } from "./DraftState";
import { shortName } from "./document-name";

/** How a row divides from 768 px on; the skeleton of the list has it, too. */
export const ROW =
  "grid grid-cols-[auto_minmax(0,1fr)_auto] gap-x-4 gap-y-2 px-4 py-4 sm:px-6 md:grid-cols-[auto_minmax(0,1fr)_13.5rem_5.5rem_8rem_auto] md:items-center md:gap-x-6";

interface DocumentRowProps {
  draft: DraftShown;
  selected: boolean;
  onSelect: (on: boolean) => void;
  onAction: (action: DocumentAction, draft: DraftShown) => void;
}

/** One document. The whole row leads to it; only its box to tick and the menu stand above the link. */
export function DocumentRow({ draft, selected, onSelect, onAction }: DocumentRowProps) {
  return (
    <li
      className={cx(
        ROW,
        "relative border-line border-b last:rounded-b-lg last:border-b-0",
        selected ? "bg-focus/10" : "hover:bg-sunken",
      )}
    >
      <Checkbox
        // The finger's and the pointer's target is larger than the box.
        className="relative z-10 -m-2.5 self-start p-2.5 md:self-center"
        checked={selected}
        onCheckedChange={onSelect}
        label={`Select ${shortName(draft.name)}`}
        labelHidden
      />
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
        <div className="mt-1 max-md:-mr-12">
          <DraftState draft={draft} />
        </div>
      </div>
      <div className="col-span-2 col-start-2 row-start-2 max-w-80 md:col-span-1 md:col-start-3 md:row-start-1">
        <ClassifiedShare draft={draft} />
      </div>
      <p className="col-span-2 col-start-2 row-start-3 flex gap-x-4 text-quiet text-sm md:contents">
        <Bytes value={draft.document_bytes} className="md:col-start-4 md:row-start-1 md:text-right" />
        <span className="md:col-start-5 md:row-start-1">
          <span className="md:sr-only">Changed </span>
          <RelativeTime at={draft.changed_at} />
        </span>
      </p>
      <div className="relative z-10 col-start-3 row-start-1 -mt-1.5 -mr-2 md:col-start-6 md:mt-0">
        <DocumentMenu draft={draft} onAction={(action) => onAction(action, draft)} />
      </div>
    </li>
  );
}
