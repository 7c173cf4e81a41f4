/** Where the keys of a grid lead to. Row 0 is the head, column -1 the number of the row. */
import type { Selected } from "./grid-selection";

export interface GridKey {
  readonly key: string;
  readonly shiftKey: boolean;
  readonly ctrlKey: boolean;
}

/** `rows`, `columns`: how many there are. `page`: rows in a window. Null: the key is none of the grid's. */
export function moved(now: Selected, key: GridKey, rows: number, columns: number, page: number): Selected | null {
  const { row, column, anchor } = now;
  const last = columns - 1;
  if (key.key === " ") {
    if (key.ctrlKey) return { row: 0, column, anchor: { row: 0, column: anchor.column } };
    if (key.shiftKey) return { row, column: -1, anchor: { row: anchor.row, column: -1 } };
    return null;
  }
  const far = key.ctrlKey;
  const to = {
    ArrowDown: { row: far ? rows : row + 1, column },
    ArrowUp: { row: far ? 0 : row - 1, column },
    ArrowRight: { row, column: far ? last : column + 1 },
    ArrowLeft: { row, column: far ? -1 : column - 1 },
    PageDown: { row: row + page, column },
    PageUp: { row: row - page, column },
    Home: { row: far ? 0 : row, column: far ? -1 : Math.min(0, last) },
    End: { row: far ? rows : row, column: last },
  }[key.key];
  if (!to) return null;
  const next = { row: clamp(to.row, 0, rows), column: clamp(to.column, -1, last) };
  return { ...next, anchor: key.shiftKey ? anchor : next };
}

function clamp(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(most, value));
}
