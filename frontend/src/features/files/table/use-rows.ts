/** The rows of a table that are in view, loaded in windows, each once. */
import { type QueryClient, useQueries } from "@tanstack/react-query";
import { type FileSource, rowsQuery } from "@/api/file-source";
import type { Row } from "@/api/files";

export const WINDOW = 200;

export interface RowsInView {
  /** Row `number`, from 1; undefined while it is on its way. */
  readonly row: (number: number) => Row | undefined;
  readonly error: unknown;
  readonly retry: () => void;
}

/** `first` to `last`: numbers of rows, from 1. */
export function useRows(source: FileSource, sheet: string | null, first: number, last: number): RowsInView {
  const windows: number[] = [];
  for (let from = windowOf(first); from <= last; from += WINDOW) windows.push(from);
  const found = useQueries({ queries: windows.map((from) => rowsQuery(source, sheet, from, WINDOW)) });
  return {
    row: (number) => {
      const data = found[windows.indexOf(windowOf(number))]?.data;
      return data && (data[(number - 1) % WINDOW] ?? []);
    },
    error: found.find(({ error }) => error !== null)?.error ?? null,
    retry: () => {
      for (const query of found) if (query.error) void query.refetch();
    },
  };
}

/** Rows `first` to `last`, loaded if need be. */
export async function rowsBetween(
  client: QueryClient,
  source: FileSource,
  sheet: string | null,
  first: number,
  last: number,
): Promise<readonly { number: number; row: Row }[]> {
  const rows: { number: number; row: Row }[] = [];
  for (let from = windowOf(first); from <= last; from += WINDOW) {
    const data = await client.ensureQueryData(rowsQuery(source, sheet, from, WINDOW));
    for (const [at, row] of data.entries()) {
      const number = from + at;
      if (number >= first && number <= last) rows.push({ number, row });
    }
  }
  return rows;
}

/** The first row of the window that has this one. */
export function windowOf(number: number): number {
  return Math.floor((number - 1) / WINDOW) * WINDOW + 1;
}
