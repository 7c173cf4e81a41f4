/** Words around a place in a text. */
import { indexOfPoint, pointOfIndex } from "@/lib/code-points";
import type { Range } from "./marks";

/** The word that code point `point` is in, or right behind; null if there is none. */
export function wordAt(text: string, point: number): Range | null {
  const at = indexOfPoint(text, point);
  const lineStart = Math.max(0, at - 200);
  const near = text.slice(lineStart, at + 200);
  for (const { index, 0: word } of near.matchAll(/[\p{L}\p{N}\p{M}_]+(?:['’-][\p{L}\p{N}\p{M}_]+)*/gu)) {
    const from = lineStart + index;
    if (from <= at && at <= from + word.length) {
      return { start: pointOfIndex(text, from), end: pointOfIndex(text, from + word.length) };
    }
  }
  return null;
}

/** A text as it is quoted where there is little room. */
export function quoted(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  const characters = [...line];
  return `“${characters.length > 40 ? `${characters.slice(0, 39).join("").trimEnd()}…` : line}”`;
}
