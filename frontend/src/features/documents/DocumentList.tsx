import { useRef } from "react";
import type { DraftShown } from "@/api/types";
import { Button } from "@/components/ui/Button";
import { Skeleton } from "@/components/ui/Skeleton";
import { cx } from "@/lib/cx";
import type { DocumentAction } from "./DocumentMenu";
import { DocumentRow, ROW } from "./DocumentRow";
import { SelectionBar } from "./SelectionBar";
import { NOTHING_SELECTED, type Selection, selectedDrafts, toggle, toggleAll } from "./selection";

// Not clipped: what is over the list stays in view while one scrolls.
const SHEET = "rounded-lg bg-paper shadow-sheet";

interface DocumentListProps {
  drafts: readonly DraftShown[];
  /** What is shown is of the search before; the new one is on its way. */
  stale: boolean;
  /** Loads more, if there are more. */
  onMore: (() => void) | null;
  loadingMore: boolean;
  selection: Selection;
  onSelection: (selection: Selection) => void;
  /** Sends those that are chosen. */
  onSend: () => void;
  onAction: (action: DocumentAction, draft: DraftShown) => void;
}

/**
 * Documents, one under the other, and more of them on demand. Several can be chosen: with Shift all from the last one on,
 * by the arrow keys from box to box, by Ctrl+A all, by Escape none.
 */
export function DocumentList(props: DocumentListProps) {
  const { drafts, stale, onMore, loadingMore, selection, onSelection, onSend, onAction } = props;
  const list = useRef<HTMLUListElement>(null);
  // A box says only that it was ticked: whether Shift was held then is noted on the way down to it.
  const shift = useRef(false);
  const note = ({ shiftKey }: { shiftKey: boolean }) => {
    shift.current = shiftKey;
  };
  const clear = () => onSelection(NOTHING_SELECTED);
  const here = drafts.filter(({ id }) => selection.selected.has(id)).length;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: what it hears comes from the boxes inside it
    <div
      className={cx(SHEET, "transition-opacity", stale && "opacity-60")}
      onKeyDown={(event) => {
        if (!isBox(event.target)) return;
        const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
        if (step !== undefined) {
          const boxes = [...(list.current?.querySelectorAll<HTMLElement>(BOX) ?? [])];
          const next = boxes.indexOf(event.target) + step;
          boxes[next]?.focus();
          // With Shift the one that is left and the one that is reached.
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
    >
      {(drafts.length > 1 || selection.selected.size > 0) && (
        <SelectionBar
          here={here}
          shown={drafts.length}
          selected={selectedDrafts(selection, drafts)}
          onAll={(on) => onSelection(toggleAll(selection, drafts, on))}
          onClear={clear}
          onSend={onSend}
        />
      )}
      <ul
        ref={list}
        aria-label="Documents"
        aria-busy={stale}
        // What has the focus lies neither under the bars above nor, on a phone, under the one below.
        className="[&_:is(a,button,[role=checkbox])]:scroll-mt-32 [&_:is(a,button,[role=checkbox])]:scroll-mb-20"
        onPointerUpCapture={note}
        onKeyDownCapture={note}
        // A range of documents is no range of text.
        onMouseDown={(event) =>
          event.shiftKey && event.target instanceof Element && event.target.closest("label") && event.preventDefault()
        }
      >
        {drafts.map((draft) => (
          <DocumentRow
            key={draft.id}
            draft={draft}
            selected={selection.selected.has(draft.id)}
            onSelect={(on) => onSelection(toggle(selection, drafts, draft.id, on, shift.current))}
            onAction={onAction}
          />
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

const BOX = "[role=checkbox]";

function isBox(target: EventTarget): target is HTMLElement {
  return target instanceof HTMLElement && target.matches(BOX);
}

/** The shape of the list while it loads. */
export function DocumentListSkeleton() {
  return (
    <div role="status" className={SHEET}>
      <span className="sr-only">Loading the documents</span>
      {["wide", "wider", "widest"].map((row) => (
        <div key={row} aria-hidden className={cx(ROW, "border-line border-b last:border-b-0")}>
          <span className="size-5" />
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
