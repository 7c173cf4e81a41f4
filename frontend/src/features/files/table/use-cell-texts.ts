/** The texts of marked cells, also of those that are not in view, for the list of marks. */
import { useQueries } from "@tanstack/react-query";
import { useMemo } from "react";
import { rowsQuery } from "@/api/file-source";
import type { Mark, Outline, Row } from "@/api/files";
import { viewOf } from "@/api/formats";
import { cellOf, sheetOf, type Table } from "../model/table";
import type { ViewedFile } from "../viewed-file";
import { WINDOW, windowOf } from "./use-rows";

/** Of 200 rows each. Of marks in others the list has only the place. */
const MOST_WINDOWS = 50;

interface MarkedCell {
  readonly address: string;
  readonly sheet: string | null;
  readonly row: number;
  readonly column: number;
}

/** The marked cells of the tables of a file. Rows, columns and sheets have no text of their own. */
export function markedCells(outline: Outline, marks: readonly Mark[]): readonly MarkedCell[] {
  const view = viewOf(outline.format);
  if (view !== "rows" && view !== "sheets") return [];
  const tables = new Map<string | null, Table>(
    outline.sheets === null
      ? [[null, { format: outline.format, sheet: null, columns: outline.columns ?? [], rows: outline.rows ?? 0 }]]
      : outline.sheets.map(({ name, columns, rows }) => [name, { format: outline.format, sheet: name, columns, rows }]),
  );
  return marks.flatMap(({ address }) => {
    const sheet = sheetOf(address);
    const table = tables.get(sheet);
    const cell = table && cellOf(table, address);
    return cell && cell.row > 0 && cell.column >= 0 ? [{ address, sheet, ...cell }] : [];
  });
}

export function useCellTexts({ source, outline }: ViewedFile, marks: readonly Mark[]): ReadonlyMap<string, string> {
  const cells = useMemo(() => markedCells(outline, marks), [outline, marks]);
  const windows = useMemo(() => {
    const found = new Map<string, { sheet: string | null; from: number }>();
    for (const { sheet, row } of cells) {
      if (found.size >= MOST_WINDOWS) break;
      const from = windowOf(row);
      found.set(JSON.stringify([sheet, from]), { sheet, from });
    }
    return [...found.values()];
  }, [cells]);
  const loaded = useQueries({
    queries: windows.map(({ sheet, from }) => rowsQuery(source, sheet, from, WINDOW)),
    combine: useMemo(() => (all: { data?: Row[] | undefined }[]) => all.map(({ data }) => data), []),
  });
  return useMemo(() => {
    const rows = new Map(windows.map(({ sheet, from }, at) => [JSON.stringify([sheet, from]), loaded[at]]));
    const texts = new Map<string, string>();
    for (const { address, sheet, row, column } of cells) {
      const text = rows.get(JSON.stringify([sheet, windowOf(row)]))?.[(row - 1) % WINDOW]?.[column];
      if (text) texts.set(address, text);
    }
    return texts;
  }, [cells, windows, loaded]);
}
