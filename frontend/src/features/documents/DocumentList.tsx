import type { ReactNode } from "react";
import type { DraftShown } from "@/api/types";
import { SelectableRowList } from "@/components/SelectableRowList";
import { NOTHING_SELECTED, type Selection, selectedRows, toggleAll } from "@/components/selection";
import type { DocumentAction } from "./DocumentRowMenu";
import { documentColumns } from "./document-columns";
import { shortName } from "./document-name";
import { SelectionBar } from "./SelectionBar";

interface DocumentListProps {
  drafts: readonly DraftShown[];
  /** The list answers an earlier search; the new answer is loading. */
  stale: boolean;
  /** The button for the next page, if there is one. */
  more: ReactNode;
  selection: Selection<DraftShown>;
  onSelection: (selection: Selection<DraftShown>) => void;
  /** Sends the selected documents. */
  onSend: () => void;
  onAction: (action: DocumentAction, draft: DraftShown) => void;
}

/** An author's documents, to open or to select. */
export function DocumentList(props: DocumentListProps) {
  const { drafts, stale, more, selection, onSelection, onSend, onAction } = props;
  const here = drafts.filter(({ id }) => selection.selected.has(id)).length;
  return (
    <SelectableRowList
      aria-label="Documents"
      rows={drafts}
      columns={documentColumns(onAction)}
      nameOf={({ name }) => shortName(name)}
      selection={selection}
      onSelection={onSelection}
      stale={stale}
      more={more}
      bar={
        (drafts.length > 1 || selection.selected.size > 0) && (
          <SelectionBar
            here={here}
            shown={drafts.length}
            selected={selectedRows(selection, drafts)}
            onAll={(on) => onSelection(toggleAll(selection, drafts, on))}
            onClear={() => onSelection(NOTHING_SELECTED)}
            onSend={onSend}
          />
        )
      }
    />
  );
}
