/** What a selection in the grid is about: columns, rows, or cells. */
import { plural, t } from "@lingui/core/macro";
import type { QueryClient } from "@tanstack/react-query";
import type { FileSource } from "@/api/file-source";
import { numberText } from "@/lib/numbers";
import { type Place, whole } from "../model/marks";
import { cellAddress, columnPlace, hasLines, rowPlace, type Table, tableCoverage } from "../model/table";
import type { Choice } from "../viewed-file";
import { rowsBetween } from "./use-rows";

/** Row 0 is the head, column -1 the number of the row. `anchor`: where the selection began. */
export interface Selected {
  readonly row: number;
  readonly column: number;
  readonly anchor: { readonly row: number; readonly column: number };
}

/** More cells than that are marked as rows or columns. */
export const MOST_CELLS = 20_000;

export interface Rectangle {
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
}

/** The selected cells: all rows for a column heading, all columns for a row number. */
export function rectangleOf({ row, column, anchor }: Selected, table: Table): Rectangle {
  const heads = row === 0 || anchor.row === 0;
  const numbers = column === -1 || anchor.column === -1;
  return {
    top: heads ? 0 : Math.min(row, anchor.row),
    bottom: heads ? table.rows : Math.max(row, anchor.row),
    left: numbers ? -1 : Math.min(column, anchor.column),
    right: numbers ? table.columns.length - 1 : Math.max(column, anchor.column),
  };
}

export function isWithin({ top, bottom, left, right }: Rectangle, row: number, column: number): boolean {
  return top <= row && row <= bottom && left <= column && column <= right;
}

/** What Mark would mark; a sentence if it cannot. Cells that are not there are none of it. */
export async function choiceOf(
  client: QueryClient,
  source: FileSource,
  table: Table,
  selected: Selected,
): Promise<Choice | string> {
  const rectangle = rectangleOf(selected, table);
  const { top, bottom, left, right } = rectangle;
  const of = (places: readonly Place[], words: string): Choice => ({
    places,
    words,
    coverage: ({ index }) => tableCoverage(index, table, places),
  });
  const columns = table.columns.slice(Math.max(0, left), right + 1);
  if (top === 0 && left === -1 && table.sheet !== null)
    return of([whole(`sheet/${table.sheet}`)], t`sheet ${{ sheet: table.sheet }}`);
  if (hasLines(table) && top === 0) return of(columns.map(columnPlace), columnsText(columns));
  if (hasLines(table) && left === -1) {
    const rows = Array.from({ length: bottom - top + 1 }, (_, at) => top + at);
    return of(rows.map(rowPlace), rowsText(top, bottom));
  }
  const first = Math.max(1, top);
  if ((bottom - first + 1) * columns.length > MOST_CELLS) {
    const most = numberText(MOST_CELLS);
    return table.sheet === null
      ? t`You selected more than ${most} cells. Choose whole rows or columns.`
      : t`You selected more than ${most} cells. Choose fewer cells, or the whole sheet.`;
  }
  const places: Place[] = [];
  let text = "";
  for (const { number, row } of await rowsBetween(client, source, table.sheet, first, bottom)) {
    for (const [at, column] of columns.entries()) {
      const cell = row[Math.max(0, left) + at];
      if (cell === null || cell === undefined) continue;
      places.push(whole(cellAddress(table, number, column)));
      text = cell;
    }
  }
  if (places.length === 0) return t`There are no cells.`;
  const words =
    top === 0 ? columnsText(columns) : left === -1 ? rowsText(top, bottom) : cellsText(table, rectangle, places);
  return places.length === 1 ? { ...of(places, words), text } : of(places, words);
}

function columnsText(columns: readonly string[]): string {
  const [first = ""] = columns;
  return columns.length === 1 ? t`column ${first}` : plural(columns.length, { one: "# column", other: "# columns" });
}

function rowsText(top: number, bottom: number): string {
  const [from, to] = [numberText(top), numberText(bottom)];
  return top === bottom ? t`row ${from}` : t`rows ${from} to ${to}`;
}

function cellsText(table: Table, { top, left }: Rectangle, places: readonly Place[]): string {
  const column = table.columns[left] ?? "";
  if (places.length !== 1) return plural(places.length, { one: "# cell", other: "# cells" });
  return table.sheet === null ? t`${column} in row ${{ row: numberText(top) }}` : `${column}${top}`;
}
