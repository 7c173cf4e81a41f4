// biome-ignore-all lint/a11y/useSemanticElements: a table of HTML cannot draw only what is in view
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus and names its active cell
import { t } from "@lingui/core/macro";
import { useQueryClient } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { Lock } from "lucide-react";
import { type KeyboardEvent, type MouseEvent, useEffect, useId, useLayoutEffect, useRef, useState } from "react";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { cx } from "@/lib/cx";
import { numberText } from "@/lib/numbers";
import { FileBubble } from "../FileBubble";
import { cellAddress, cellLabels, cellMark, cellOf, hasHeader, type Table } from "../model/table";
import { useHighlightedCells } from "../use-highlighted";
import { useMarks, useViewedFile } from "../viewed-file";
import { Cell } from "./Cell";
import { columnWidths, numbersPx, STEP_PX, withinBounds } from "./column-widths";
import { moved } from "./grid-keys";
import { choiceOf, isWithin, rectangleOf, type Selected } from "./grid-selection";
import { useRows } from "./use-rows";

/** A browser lays out no box of more than some 33 million px: that holds a million rows. */
const ROW_PX = 32;

/** An address, or a row; another turn each time, so that the same place can be gone to again. */
export interface GoTo {
  readonly address: string | null;
  readonly row?: number;
  readonly focus: boolean;
  readonly turn: number;
}

/**
 * A table of any size. Only what is in view is drawn. The grid itself has the focus and says which cell is the active
 * one; column headings and row numbers are cells, too, and represent the whole column or row.
 */
export function Grid({ table, goTo }: { table: Table; goTo: GoTo | null }) {
  const file = useViewedFile();
  const client = useQueryClient();
  const { index } = useMarks();
  const noted = useHighlightedCells();
  const id = useId();
  const frame = useRef<HTMLDivElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const [selected, setSelected] = useState<Selected>({ row: 1, column: 0, anchor: { row: 1, column: 0 } });
  // Until then nothing looks selected: Mark would mark nothing.
  const [touched, setTouched] = useState(false);
  // At once, before the page is drawn again: a focus that follows reads it.
  const latest = useRef(selected);
  const [refused, setRefused] = useState<string | null>(null);
  const turn = useRef(0);
  const { columns, rows: count } = table;
  const numbers = numbersPx(count);
  const rows = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 12,
    // The header row comes before the rows, and stays over them.
    scrollMargin: ROW_PX,
    scrollPaddingStart: ROW_PX,
  });
  const drawn = rows.getVirtualItems();
  const firstDrawn = (drawn[0]?.index ?? 0) + 1;
  const lastDrawn = (drawn.at(-1)?.index ?? 0) + 1;
  const inView = useRows(file.source, table.sheet, firstDrawn, Math.min(lastDrawn, count));
  // The widths are of the first rows that came, and stay. No column is drawn before that: one that moved while a finger
  // was on its way would be another one when it arrives.
  const [widths, setWidths] = useState<readonly number[] | null>(null);
  const known = count === 0 || inView.error !== null || inView.row(firstDrawn) !== undefined;
  useLayoutEffect(() => {
    if (!widths && known) {
      const seen = Array.from({ length: 40 }, (_, at) => inView.row(firstDrawn + at) ?? []);
      setWidths(columnWidths(columns, seen));
    }
  }, [widths, known, columns, inView, firstDrawn]);
  const across = useVirtualizer({
    horizontal: true,
    count: columns.length,
    getScrollElement: () => scroller.current,
    estimateSize: (at) => widths?.[at] ?? 0,
    overscan: 3,
    scrollPaddingStart: numbers,
    paddingStart: numbers,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the columns have other widths then
  useLayoutEffect(() => across.measure(), [across, widths]);

  const select = (next: Selected) => {
    latest.current = next;
    setSelected(next);
    setTouched(true);
    if (next.row > 0) rows.scrollToIndex(next.row - 1);
    if (next.column >= 0) across.scrollToIndex(next.column);
    turn.current += 1;
    const mine = turn.current;
    // What was chosen before is not what Mark is about now, however long this takes.
    file.choose(null);
    void choiceOf(client, file.source, table, next).then(
      (choice) => {
        if (turn.current !== mine) return;
        setRefused(typeof choice === "string" ? choice : null);
        file.choose(typeof choice === "string" ? null : choice);
      },
      () => {
        if (turn.current === mine) setRefused(t`These cells could not be loaded. Try again.`);
      },
    );
  };
  useEffect(() => {
    return () => {
      turn.current += 1;
      file.choose(null);
    };
  }, [file]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each turn
  useEffect(() => {
    if (!goTo) return;
    const cell = goTo.address === null ? { row: goTo.row ?? 1, column: -1 } : cellOf(table, goTo.address);
    if (!cell) return;
    select({ ...cell, anchor: cell });
    if (goTo.focus) scroller.current?.focus({ preventScroll: true });
  }, [goTo?.turn]);

  const resize = (column: number, width: number) => {
    setWidths((now) => now?.map((one, at) => (at === column ? withinBounds(width) : one)) ?? null);
  };
  const key = (event: KeyboardEvent) => {
    if (event.altKey && event.shiftKey && (event.key === "ArrowLeft" || event.key === "ArrowRight")) {
      event.preventDefault();
      const step = event.key === "ArrowRight" ? STEP_PX : -STEP_PX;
      if (selected.column >= 0) resize(selected.column, (widths?.[selected.column] ?? 0) + step);
      return;
    }
    if (event.altKey) return;
    const { key, shiftKey } = event;
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 320) / ROW_PX) - 2);
    const next = moved(
      selected,
      { key, shiftKey, ctrlKey: event.ctrlKey || event.metaKey },
      count,
      columns.length,
      page,
    );
    if (!next) return;
    event.preventDefault();
    select(next);
  };
  const press = (event: MouseEvent) => {
    const cell = (event.target as Element).closest<HTMLElement>("[data-row]");
    if (!cell) return;
    const at = { row: Number(cell.dataset.row), column: Number(cell.dataset.column) };
    select({ ...at, anchor: event.shiftKey ? selected.anchor : at });
  };

  const rectangle = rectangleOf(selected, table);
  const isChosen = (row: number, column: number) => touched && isWithin(rectangle, row, column);
  const isAt = (row: number, column: number) => touched && selected.row === row && selected.column === column;
  const visible = widths ? across.getVirtualItems() : [];
  const cellId = (row: number, column: number) => `${id}-${row}-${column}`;
  const width = across.getTotalSize();
  return (
    <div ref={frame} className="flex min-w-0 flex-col gap-2">
      {inView.error !== null && (
        <ErrorPanel title={t`Some rows could not be loaded.`} problem={inView.error} onRetry={inView.retry} />
      )}
      <div
        ref={scroller}
        role="grid"
        aria-label={table.sheet === null ? t`Table` : t`Sheet ${{ sheet: table.sheet }}`}
        aria-rowcount={count + 1}
        aria-colcount={columns.length + 1}
        aria-multiselectable
        aria-readonly
        aria-activedescendant={cellId(selected.row, selected.column)}
        tabIndex={0}
        onKeyDown={key}
        onClick={press}
        onFocus={(event) => {
          // By Tab: Mark applies to the selection again.
          if (event.target === event.currentTarget && file.choice() === null) select(latest.current);
        }}
        className="file-grid"
      >
        <div role="row" aria-rowindex={1} className="file-grid-head" style={{ width, height: ROW_PX }}>
          <Head
            id={cellId(0, -1)}
            row={0}
            column={-1}
            name=""
            label={table.sheet === null ? t`All columns` : t`All of sheet ${{ sheet: table.sheet }}`}
            left={0}
            width={numbers}
            sticky
            marked={table.sheet !== null && index.isWhole(`sheet/${table.sheet}`)}
            active={isAt(0, -1)}
            chosen={isChosen(0, -1)}
          />
          {visible.map(({ index: at, start, size }) => {
            const name = columns[at] ?? "";
            return (
              <Head
                key={at}
                id={cellId(0, at)}
                row={0}
                column={at}
                name={name}
                label={null}
                left={start}
                width={size}
                sticky={false}
                marked={table.sheet === null && index.isWhole(`column/${name}`)}
                named={hasHeader(table) && cellMark(index, table, 0, name) !== null}
                active={isAt(0, at)}
                chosen={isChosen(0, at)}
                onResize={(wide) => resize(at, wide)}
              />
            );
          })}
        </div>
        <div role="rowgroup" className="relative" style={{ width, height: rows.getTotalSize() }}>
          {drawn.map(({ index: at, start }) => {
            const number = at + 1;
            const row = inView.row(number);
            const rowMarked = table.sheet === null && index.isWhole(`row/${number}`);
            return (
              <div
                key={number}
                role="row"
                aria-rowindex={number + 1}
                className="file-grid-row"
                style={{ height: ROW_PX, width, translate: `0 ${start - ROW_PX}px` }}
              >
                <div
                  id={cellId(number, -1)}
                  role="rowheader"
                  aria-colindex={1}
                  aria-selected={isChosen(number, -1)}
                  data-row={number}
                  data-column={-1}
                  data-active={isAt(number, -1) || undefined}
                  className={cx("file-grid-number", rowMarked && "file-cell-marked")}
                  style={{ width: numbers }}
                >
                  {rowMarked && <Lock aria-hidden className="size-3 shrink-0" />}
                  {numberText(number)}
                  {rowMarked && <span className="sr-only"> {t`(classified)`}</span>}
                </div>
                {visible.map(({ index: column, start: left, size }) => {
                  const address = cellAddress(table, number, columns[column] ?? "");
                  return (
                    <Cell
                      key={column}
                      id={cellId(number, column)}
                      row={number}
                      column={column}
                      left={left}
                      width={size}
                      text={row === undefined ? undefined : (row[column] ?? null)}
                      mark={cellMark(index, table, number, columns[column] ?? "")}
                      labels={cellLabels(index, table, number, columns[column] ?? "")}
                      found={noted.found.has(address)}
                      finding={noted.findings.has(address)}
                      active={isAt(number, column)}
                      chosen={isChosen(number, column)}
                    />
                  );
                })}
              </div>
            );
          })}
        </div>
      </div>
      <p role="status" className="min-h-5 text-quiet text-sm">
        {refused}
      </p>
      <FileBubble root={frame} onBack={() => scroller.current?.focus({ preventScroll: true })} />
    </div>
  );
}

interface HeadProps {
  id: string;
  row: number;
  column: number;
  name: string;
  /** Read in place of the name. */
  label: string | null;
  left: number;
  width: number;
  sticky: boolean;
  marked: boolean;
  /** The name itself is marked. */
  named?: boolean;
  active: boolean;
  chosen: boolean;
  /** Makes the column so many px wide; absent where it cannot be. */
  onResize?: (width: number) => void;
}

function Head(props: HeadProps) {
  const { id, row, column, name, label, left, width, sticky, marked, named = false, active, chosen, onResize } = props;
  return (
    <div
      id={id}
      role="columnheader"
      aria-colindex={column + 2}
      aria-selected={chosen}
      data-row={row}
      data-column={column}
      data-active={active || undefined}
      title={name || undefined}
      className={cx("file-grid-name", sticky && "file-grid-corner", marked && "file-cell-marked")}
      style={sticky ? { width } : { width, left }}
    >
      {marked && <Lock aria-hidden className="size-3 shrink-0" />}
      <span className={cx("truncate", named && "file-name-marked")}>{name}</span>
      {(label || marked || named) && (
        <span className="sr-only">
          {label}
          {marked && ` ${t`(classified)`}`}
          {named && ` ${t`(its name is classified)`}`}
        </span>
      )}
      {onResize && <ResizeHandle width={width} onResize={onResize} />}
    </div>
  );
}

/** Dragged, it changes the width of its column. The keys for that are the grid's, which has the focus. */
function ResizeHandle({ width, onResize }: { width: number; onResize: (width: number) => void }) {
  const start = useRef<{ x: number; width: number } | null>(null);
  return (
    <span
      aria-hidden
      className="file-grid-handle"
      // A press of the heading chooses the column.
      onClick={(event) => event.stopPropagation()}
      onPointerDown={(event) => {
        event.preventDefault();
        event.currentTarget.setPointerCapture(event.pointerId);
        start.current = { x: event.clientX, width };
      }}
      onPointerMove={({ clientX }) => start.current && onResize(start.current.width + clientX - start.current.x)}
      onPointerUp={() => {
        start.current = null;
      }}
      onPointerCancel={() => {
        start.current = null;
      }}
    />
  );
}
