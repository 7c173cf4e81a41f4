import { type ReactNode, useRef } from "react";
import type { DraftShown } from "@/api/types";
import { RowList } from "@/components/ui/RowList";
import type { DocumentAction } from "./DocumentRowMenu";
import { documentColumns } from "./document-columns";
import { SelectionBar } from "./SelectionBar";
import { NOTHING_SELECTED, type Selection, selectedDrafts, toggle, toggleAll } from "./selection";

interface DocumentListProps {
  drafts: readonly DraftShown[];
  /** The list answers an earlier search; the new answer is loading. */
  stale: boolean;
  /** The button for the next page, if there is one. */
  more: ReactNode;
  selection: Selection;
  onSelection: (selection: Selection) => void;
  /** Sends the selected documents. */
  onSend: () => void;
  onAction: (action: DocumentAction, draft: DraftShown) => void;
}

/**
 * An author's documents, to open or to select. Keys in the boxes: Shift selects a range, the arrow keys move from box to
 * box, Ctrl+A selects all, Escape none.
 */
export function DocumentList(props: DocumentListProps) {
  const { drafts, stale, more, selection, onSelection, onSend, onAction } = props;
  const list = useRef<HTMLUListElement>(null);
  // The checkbox reports only that it changed, so the list notes whether Shift was held.
  const shift = useRef(false);
  const note = ({ shiftKey }: { shiftKey: boolean }) => {
    shift.current = shiftKey;
  };
  const clear = () => onSelection(NOTHING_SELECTED);
  const here = drafts.filter(({ id }) => selection.selected.has(id)).length;
  const isSelected = ({ id }: DraftShown) => selection.selected.has(id);
  const columns = documentColumns({
    isSelected,
    onSelect: ({ id }, on) => onSelection(toggle(selection, drafts, id, on, shift.current)),
    onAction,
  });
  return (
    <RowList
      ref={list}
      aria-label="Documents"
      columns={columns}
      rows={drafts}
      isSelected={isSelected}
      stale={stale}
      footer={more}
      header={
        (drafts.length > 1 || selection.selected.size > 0) && (
          <SelectionBar
            here={here}
            shown={drafts.length}
            selected={selectedDrafts(selection, drafts)}
            onAll={(on) => onSelection(toggleAll(selection, drafts, on))}
            onClear={clear}
            onSend={onSend}
          />
        )
      }
      // Keeps the focused control clear of the bars above and, on a phone, of the one below.
      className="[&_:is(a,button,[role=checkbox])]:scroll-mt-32 [&_:is(a,button,[role=checkbox])]:scroll-mb-20"
      onPointerUpCapture={note}
      onKeyDownCapture={note}
      onKeyDown={(event) => {
        if (!isBox(event.target)) return;
        const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
        if (step !== undefined) {
          const boxes = [...(list.current?.querySelectorAll<HTMLElement>(BOX) ?? [])];
          const next = boxes.indexOf(event.target) + step;
          boxes[next]?.focus();
          // Shift selects the box that loses the focus and the one that gets it.
          const [from, to] = [drafts[next - step], drafts[next]];
          if (event.shiftKey && from && to) {
            onSelection(toggle(toggleAll(selection, [from, to], true), drafts, to.id, true, false));
          }
        } else if (event.key === "a" && (event.ctrlKey || event.metaKey))
          onSelection(toggleAll(selection, drafts, true));
        else if (event.key === "Escape" && selection.selected.size > 0) clear();
        else return;
        event.preventDefault();
      }}
      // Shift selects documents here, not text.
      onMouseDown={(event) =>
        event.shiftKey && event.target instanceof Element && event.target.closest("label") && event.preventDefault()
      }
    />
  );
}

const BOX = "[role=checkbox]";

function isBox(target: EventTarget): target is HTMLElement {
  return target instanceof HTMLElement && target.matches(BOX);
}
