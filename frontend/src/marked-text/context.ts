/** The text around a place, on one line of a list. */
import type { TextSpan } from "./markup";

/** A text that is read in parts, in UTF-16 code units. A string is one. */
export interface TextParts {
  readonly length: number;
  slice(from: number, to: number): string;
}

/** Some words before the place, the place, and some words after it; white space is collapsed. */
export interface Context {
  readonly before: string;
  readonly hit: string;
  readonly after: string;
}

const AROUND = 32;
const MOST_SHOWN = 80;

export function contextOf(text: TextParts, { from, to }: TextSpan): Context {
  const joined = (part: string) => part.replace(/\s+/gu, " ");
  const start = Math.max(0, from - AROUND);
  const end = Math.min(text.length, to + 2 * AROUND);
  const hit = joined(text.slice(from, Math.min(to, from + MOST_SHOWN)));
  return {
    before: (start > 0 ? "…" : "") + joined(wholePairs(text.slice(start, from))).trimStart(),
    hit: to - from > MOST_SHOWN ? `${hit.trimEnd()}…` : hit,
    after:
      to - from > MOST_SHOWN ? "" : joined(wholePairs(text.slice(to, end))).trimEnd() + (end < text.length ? "…" : ""),
  };
}

/** Removes halves of surrogate pairs at both ends. */
function wholePairs(text: string): string {
  return text.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, "");
}
