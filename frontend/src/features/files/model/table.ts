/** The addresses of a table's columns, rows and cells, and how these are marked. */
import type { Format } from "@/api/files";
import type { MarkCoverage } from "./mark-coverage";
import { type MarkIndex, type Place, whole } from "./marks";

/** `sheet`: of a workbook, whose columns are letters; else null. */
export interface Table {
  readonly format: Format;
  readonly sheet: string | null;
  readonly columns: readonly string[];
  readonly rows: number;
}

export function cellAddress({ sheet }: Table, row: number, column: string): string {
  return sheet === null ? `row/${row}/${column}` : `sheet/${sheet}/${column}${row}`;
}

/** Whether the format has an address for a row, a column. Of a workbook only cells and sheets have. */
export function hasLines({ sheet }: Table): boolean {
  return sheet === null;
}

/** Whether the file has the columns' names in a separate row. */
export function hasHeader({ format }: Table): boolean {
  return format === "csv" || format === "tsv";
}

export function rowPlace(row: number): Place {
  return whole(`row/${row}`);
}

export function columnPlace(column: string): Place {
  return whole(`column/${column}`);
}

/** The cell at an address: row 0 is the header, column -1 the whole row. Null if it is not in this table. */
export function cellOf(table: Table, address: string): { row: number; column: number } | null {
  const place = table.sheet === null ? partsOf(address) : sheetPartsOf(table.sheet, address);
  if (!place) return null;
  if (place.column === null) return { row: place.row, column: -1 };
  const column = table.columns.indexOf(place.column);
  return column < 0 ? null : { row: place.row, column };
}

function partsOf(address: string): { row: number; column: string | null } | null {
  if (address.startsWith("column/")) return { row: 0, column: address.slice("column/".length) };
  const [, row, column] = /^row\/(\d+)(?:\/([\s\S]*))?$/.exec(address) ?? [];
  return row === undefined ? null : { row: Number(row), column: column ?? null };
}

function sheetPartsOf(sheet: string, address: string): { row: number; column: string | null } | null {
  if (address === `sheet/${sheet}`) return { row: 0, column: null };
  if (!address.startsWith(`sheet/${sheet}/`)) return null;
  const [, column, row] = /^([A-Z]{1,3})([1-9]\d*)/.exec(address.slice(`sheet/${sheet}/`.length)) ?? [];
  return column === undefined ? null : { row: Number(row), column };
}

/** The sheet of an address; null if it has none. */
export function sheetOf(address: string): string | null {
  return /^sheet\/([^/]+)/.exec(address)?.[1] ?? null;
}

/** What classifies a cell; `part`: only a part of it is classified. */
export type CellMark = "cell" | "row" | "column" | "sheet" | "part" | null;

export function cellMark(index: MarkIndex, table: Table, row: number, column: string): CellMark {
  const address = cellAddress(table, row, column);
  const covering = index.covering(address);
  if (covering === address) return "cell";
  if (covering !== null) return table.sheet === null ? "row" : "sheet";
  if (table.sheet === null && row > 0 && index.isWhole(`column/${column}`)) return "column";
  return index.count(address) > 0 ? "part" : null;
}

/** The labels of what classifies a cell; empty if there are none. */
export function cellLabels(index: MarkIndex, table: Table, row: number, column: string): string {
  return index.labels(cellAddress(table, row, column));
}

/** How columns, rows and cells are marked: a cell is also part of its row and its column. */
export function tableCoverage(index: MarkIndex, table: Table, places: readonly Place[]): MarkCoverage {
  let some = false;
  let all = places.length > 0;
  let above: string | null = null;
  for (const { address } of places) {
    const covering = index.covering(address);
    const cell = table.sheet === null ? /^row\/([1-9]\d*)\/([\s\S]*)$/.exec(address) : null;
    const column = cell ? `column/${cell[2]}` : null;
    if (index.isWhole(address)) some = true;
    else if (covering !== null) above = covering;
    else if (column !== null && index.isWhole(column)) above = column;
    else {
      some ||= index.ranges(address).length > 0;
      all = false;
    }
  }
  return { some, all, above: all && !some ? above : null };
}

export type Relation = "is" | "contains" | "begins" | "empty" | "filled";

/** The rows whose cell in `column` has this relation to `value`. */
export interface Rule {
  readonly column: string;
  readonly relation: Relation;
  readonly value: string;
  readonly matchCase: boolean;
}

/** Whether the rule matches a cell; null is a cell that the row does not have, and counts as empty. */
export function isHit({ relation, value, matchCase }: Rule, cell: string | null): boolean {
  const fold = (text: string) => (matchCase ? text : text.toLowerCase()).normalize("NFC");
  const text = fold(cell ?? "").trim();
  const wanted = fold(value).trim();
  switch (relation) {
    case "is":
      return text === wanted;
    case "contains":
      return text.includes(wanted);
    case "begins":
      return text.startsWith(wanted);
    case "empty":
      return text === "";
    case "filled":
      return text !== "";
  }
}
