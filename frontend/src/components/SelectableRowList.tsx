import { t } from "@lingui/core/macro";
import { type ReactNode, useRef } from "react";
import { Checkbox } from "@/components/ui/Checkbox";
import { type RowColumn, RowList } from "@/components/ui/RowList";
import { NOTHING_SELECTED, type Selection, toggle, toggleAll } from "./selection";

interface SelectableRowListProps<Row extends { id: string }> {
  "aria-label": string;
  rows: readonly Row[];
  columns: readonly RowColumn<Row>[];
  nameOf: (row: Row) => string;
  selection: Selection<Row>;
  onSelection: (selection: Selection<Row>) => void;
  /** The list answers an earlier search; the new answer is loading. */
  stale: boolean;
  /** Above the first row: what to do with the selected rows. */
  bar: ReactNode;
  /** The button for the next page, if there is one. */
  more: ReactNode;
}

/**
 * Rows to open or to select. Keys in the boxes: Shift selects a range, the arrow keys move from box to box, Ctrl+A
 * selects all, Escape none.
 */
export function SelectableRowList<Row extends { id: string }>(props: SelectableRowListProps<Row>) {
  const { rows, columns, nameOf, selection, onSelection, stale, bar, more } = props;
  const list = useRef<HTMLUListElement>(null);
  // The checkbox reports only that it changed, so the list notes whether Shift was held.
  const shift = useRef(false);
  const note = ({ shiftKey }: { shiftKey: boolean }) => {
    shift.current = shiftKey;
  };
  const isSelected = ({ id }: Row) => selection.selected.has(id);
  const select: RowColumn<Row> = selectColumn({
    isSelected,
    nameOf,
    onSelect: ({ id }, on) => onSelection(toggle(selection, rows, id, on, shift.current)),
  });
  return (
    <RowList
      ref={list}
      dense
      aria-label={props["aria-label"]}
      columns={[select, ...columns]}
      rows={rows}
      isSelected={isSelected}
      stale={stale}
      footer={more}
      header={bar}
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
          const [from, to] = [rows[next - step], rows[next]];
          if (event.shiftKey && from && to) {
            onSelection(toggle(toggleAll(selection, [from, to], true), rows, to.id, true, false));
          }
        } else if (event.key === "a" && (event.ctrlKey || event.metaKey)) onSelection(toggleAll(selection, rows, true));
        else if (event.key === "Escape" && selection.selected.size > 0) onSelection(NOTHING_SELECTED);
        else return;
        event.preventDefault();
      }}
      // Shift selects rows here, not text.
      onMouseDown={(event) =>
        event.shiftKey && event.target instanceof Element && event.target.closest("label") && event.preventDefault()
      }
    />
  );
}

interface SelectColumnProps<Row> {
  isSelected: (row: Row) => boolean;
  nameOf: (row: Row) => string;
  onSelect: (row: Row, on: boolean) => void;
}

/** The column of boxes. */
export function selectColumn<Row>({ isSelected, nameOf, onSelect }: SelectColumnProps<Row>): RowColumn<Row> {
  return {
    id: "select",
    header: t({ context: "column", message: "Select" }),
    width: "auto",
    side: "start",
    className: "flex max-md:self-start",
    cell: (row) => (
      <Checkbox
        // A finger needs a larger target than the box.
        className="-m-2.5 p-2.5 md:-my-1 md:py-1"
        checked={isSelected(row)}
        onCheckedChange={(on) => onSelect(row, on)}
        label={t`Select ${{ name: nameOf(row) }}`}
        labelHidden
      />
    ),
  };
}

const BOX = "[role=checkbox]";

function isBox(target: EventTarget): target is HTMLElement {
  return target instanceof HTMLElement && target.matches(BOX);
}
