/** Looks through all rows of a table, some thousand at a time; nothing of them is kept. */
import type { FileSource } from "@/api/file-source";
import type { Row } from "@/api/files";

const AT_ONCE = 1000;

export async function scanRows(
  source: FileSource,
  sheet: string | null,
  onRow: (row: Row, number: number) => void,
  onProgress: (rows: number) => void,
  signal: AbortSignal,
): Promise<void> {
  for (let from = 1; ; ) {
    const { rows } = await source.rows(sheet, from, AT_ONCE, signal);
    if (rows.length === 0) return;
    for (const [at, row] of rows.entries()) onRow(row, from + at);
    from += rows.length;
    onProgress(from - 1);
  }
}
