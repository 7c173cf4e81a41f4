import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Download, Send, Tags, Trash2 } from "lucide-react";
import type { ReactNode } from "react";
import type { DraftsChange } from "@/api/drafts";
import type { DraftShown } from "@/api/types";
import { ListSelectionBar } from "@/components/ListSelectionBar";
import { SelectableRowList } from "@/components/SelectableRowList";
import { NOTHING_SELECTED, type Selection, toggleAll } from "@/components/selection";
import { TagMenu } from "@/components/tags/TagMenu";
import { shortName } from "@/lib/document-name";
import type { DocumentAction } from "./DocumentRowMenu";
import { documentColumns } from "./document-columns";

/** The most documents that the gateway sends together. */
const MAX_BATCH = 64;

export type Selected = Selection<{ id: string }>;

interface DocumentListProps {
  drafts: readonly DraftShown[];
  /** The author's tags. */
  tags: readonly { readonly name: string }[];
  /** The list answers an earlier search; the new answer is loading. */
  stale: boolean;
  /** The button for the next page, if there is one. */
  more: ReactNode;
  /** How many documents match; null while that is unknown. */
  matching: number | null;
  busy: boolean;
  selection: Selected;
  onSelection: (selection: Selected) => void;
  onAllMatching: () => void;
  /** Sends the selected documents. */
  onSend: () => void;
  onDownload: () => void;
  onChange: (change: DraftsChange, tag?: string) => void;
  onNewTag: () => void;
  onAction: (action: DocumentAction, draft: DraftShown) => void;
}

/** An author's documents, to open or to select. */
export function DocumentList(props: DocumentListProps) {
  const { drafts, stale, more, matching, busy, selection, onSelection, onChange } = props;
  const here = drafts.filter(({ id }) => selection.selected.has(id));
  const count = selection.selected.size;
  const tooMany = count > MAX_BATCH;
  return (
    <SelectableRowList
      aria-label={t`Documents`}
      rows={drafts}
      columns={documentColumns(props.onAction)}
      nameOf={({ name }) => shortName(name)}
      selection={selection as Selection<DraftShown>}
      onSelection={onSelection}
      stale={stale}
      more={more}
      bar={
        (drafts.length > 1 || count > 0) && (
          <ListSelectionBar
            here={here.length}
            shown={drafts.length}
            selected={count}
            matching={matching}
            busy={busy}
            onAll={(on) => onSelection(toggleAll(selection, drafts, on))}
            onAllMatching={props.onAllMatching}
            onClear={() => onSelection(NOTHING_SELECTED)}
            note={
              tooMany && (
                <span className="text-quiet text-sm">
                  <Trans>You can send up to {MAX_BATCH} documents together.</Trans>
                </span>
              )
            }
            actions={[
              {
                label: t`Tags`,
                icon: <Tags aria-hidden />,
                wrap: (button) => (
                  <TagMenu
                    key="tags"
                    trigger={button}
                    tags={props.tags}
                    selected={here.map(({ tags }) => tags)}
                    onTag={(tag) => onChange("tag", tag)}
                    onUntag={(tag) => onChange("untag", tag)}
                    onNew={props.onNewTag}
                  />
                ),
              },
              { label: t`Download`, icon: <Download aria-hidden />, onClick: props.onDownload },
              { label: t`Delete`, icon: <Trash2 aria-hidden />, tone: "danger", onClick: () => onChange("delete") },
              {
                label: count === 1 ? t`Send` : t`Send ${count}`,
                icon: <Send aria-hidden />,
                tone: "primary",
                disabled: tooMany,
                onClick: props.onSend,
              },
            ]}
          />
        )
      }
    />
  );
}
