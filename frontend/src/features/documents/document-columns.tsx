import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Link } from "@tanstack/react-router";
import type { DraftShown } from "@/api/types";
import { TagChips } from "@/components/tags/TagChips";
import { Bytes } from "@/components/ui/Bytes";
import { RelativeTime } from "@/components/ui/RelativeTime";
import { DENSE_TITLE, ROW_LINK, type RowColumn, RowTitle } from "@/components/ui/RowList";
import { ClassifiedShare } from "./ClassifiedShare";
import { type DocumentAction, DocumentRowMenu } from "./DocumentRowMenu";
import { DraftState } from "./DraftState";

/** The columns of an author's documents. */
export function documentColumns(
  onAction: (action: DocumentAction, draft: DraftShown) => void,
): readonly RowColumn<DraftShown>[] {
  return [
    {
      id: "document",
      header: t`Document`,
      names: true,
      width: "minmax(0,1fr)",
      cell: (draft) => (
        <div className="flex min-w-0 flex-wrap items-center gap-x-2 md:flex-nowrap">
          <RowTitle className={DENSE_TITLE}>
            <Link
              to="/documents/$id"
              params={{ id: draft.id }}
              data-draft={draft.id}
              title={draft.name}
              className={ROW_LINK}
            >
              {draft.name}
            </Link>
          </RowTitle>
          <Tags draft={draft} />
        </div>
      ),
    },
    {
      id: "state",
      header: t`State`,
      width: "minmax(0,0.9fr)",
      cell: (draft) => <DraftState draft={draft} />,
    },
    {
      id: "share",
      header: t`Classified`,
      width: "12rem",
      className: "max-w-80",
      cell: (draft) => <ClassifiedShare draft={draft} />,
    },
    {
      id: "size",
      header: t`Size`,
      width: "5.5rem",
      fact: "unnamed",
      className: "md:text-right",
      cell: ({ document_bytes }) => <Bytes value={document_bytes} />,
    },
    {
      id: "changed",
      header: t`Changed`,
      width: "7rem",
      fact: "named",
      cell: ({ changed_at }) => <RelativeTime at={changed_at} />,
    },
    {
      id: "actions",
      header: t`Actions`,
      width: "auto",
      side: "end",
      className: "-mr-2 max-md:-mt-1.5 md:-my-1",
      cell: (draft) => <DocumentRowMenu draft={draft} onAction={(action) => onAction(action, draft)} />,
    },
  ];
}

/** A document's tags, and whether it is a template. */
function Tags({ draft: { tags, is_template } }: { draft: DraftShown }) {
  if (tags.length === 0 && !is_template) return null;
  return (
    <span className="flex min-w-0 items-center gap-1 text-xs">
      {is_template && (
        <span className="shrink-0 text-quiet">
          <Trans>Template</Trans>
        </span>
      )}
      <TagChips tags={tags} />
    </span>
  );
}

/** The columns while the list loads. */
export const DOCUMENT_COLUMNS = documentColumns(() => {});
