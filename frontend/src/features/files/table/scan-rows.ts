/** Looks through all rows of a table, some thousand at a time; nothing of them is kept. */
import { type Row, rowsFrom } from "@/api/files";

const AT_ONCE = 1000;

export async function scanRows(
  id: string,
  sheet: string | null,
  onRow: (row: Row, number: number) => void,
  onProgress: (rows: number) => void,
  signal: AbortSignal,
): Promise<void> {
  for (let from = 1; ; ) {
    const { rows } = await rowsFrom(id, sheet, from, AT_ONCE, signal);
    if (rows.length === 0) return;
    for (const [at, row] of rows.entries()) onRow(row, from + at);
    from += rows.length;
    onProgress(from - 1);
  }
}
