/** The widths of columns: enough for the text in their first rows, within bounds. */
import type { Row } from "@/api/files";
import { numberText } from "@/lib/numbers";

const LEAST_PX = 72;
const MOST_PX = 280;
const CHARACTER_PX = 7.5;
const AROUND_PX = 28;
/** Dragged or by keys, a column can be narrower and much wider than that. */
const NARROWEST_PX = 40;
const WIDEST_PX = 1200;
/** By one press of a key. */
export const STEP_PX = 24;

export function withinBounds(width: number): number {
  return Math.round(Math.max(NARROWEST_PX, Math.min(WIDEST_PX, width)));
}

/** How wide the numbers of that many rows are, with a lock before them. */
export function numbersPx(rows: number): number {
  return 44 + Math.round(numberText(rows).length * CHARACTER_PX);
}

export function columnWidths(columns: readonly string[], rows: readonly Row[]): readonly number[] {
  return columns.map((name, at) => {
    let longest = name.length + 2;
    for (const row of rows) longest = Math.max(longest, row[at]?.length ?? 0);
    return Math.round(Math.max(LEAST_PX, Math.min(MOST_PX, longest * CHARACTER_PX + AROUND_PX)));
  });
}
