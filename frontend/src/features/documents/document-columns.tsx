import { Link } from "@tanstack/react-router";
import type { DraftShown } from "@/api/types";
import { Bytes } from "@/components/ui/Bytes";
import { Checkbox } from "@/components/ui/Checkbox";
import { RelativeTime } from "@/components/ui/RelativeTime";
import { ROW_LINK, type RowColumn, RowTitle } from "@/components/ui/RowList";
import { ClassifiedShare } from "./ClassifiedShare";
import { type DocumentAction, DocumentRowMenu } from "./DocumentRowMenu";
import { DraftState } from "./DraftState";
import { shortName } from "./document-name";

interface DocumentColumnsProps {
  isSelected: (draft: DraftShown) => boolean;
  onSelect: (draft: DraftShown, on: boolean) => void;
  onAction: (action: DocumentAction, draft: DraftShown) => void;
}

/** The columns of an author's documents. */
export function documentColumns(props: DocumentColumnsProps): readonly RowColumn<DraftShown>[] {
  const { isSelected, onSelect, onAction } = props;
  return [
    {
      id: "select",
      header: "Select",
      width: "auto",
      side: "start",
      className: "flex max-md:self-start",
      cell: (draft) => (
        <Checkbox
          // A finger needs a larger target than the box.
          className="-m-2.5 p-2.5"
          checked={isSelected(draft)}
          onCheckedChange={(on) => onSelect(draft, on)}
          label={`Select ${shortName(draft.name)}`}
          labelHidden
        />
      ),
    },
    {
      id: "document",
      header: "Document",
      names: true,
      width: "minmax(0,1fr)",
      cell: (draft) => (
        <>
          <RowTitle>
            <Link to="/documents/$id" params={{ id: draft.id }} data-draft={draft.id} className={ROW_LINK}>
              {draft.name}
            </Link>
          </RowTitle>
          <div className="mt-1 max-md:-mr-12">
            <DraftState draft={draft} />
          </div>
        </>
      ),
    },
    {
      id: "share",
      header: "Classified",
      width: "13.5rem",
      className: "max-w-80",
      cell: (draft) => <ClassifiedShare draft={draft} />,
    },
    {
      id: "size",
      header: "Size",
      width: "5.5rem",
      fact: "unnamed",
      className: "md:text-right",
      cell: ({ document_bytes }) => <Bytes value={document_bytes} />,
    },
    {
      id: "changed",
      header: "Changed",
      width: "8rem",
      fact: "named",
      cell: ({ changed_at }) => <RelativeTime at={changed_at} />,
    },
    {
      id: "actions",
      header: "Actions",
      width: "auto",
      side: "end",
      className: "-mr-2 max-md:-mt-1.5",
      cell: (draft) => <DocumentRowMenu draft={draft} onAction={(action) => onAction(action, draft)} />,
    },
  ];
}

/** The columns while the list loads. */
export const DOCUMENT_COLUMNS = documentColumns({ isSelected: () => false, onSelect: () => {}, onAction: () => {} });
