/** Finds text in a document, ignoring case. */
import type { TextSpan } from "@/marked-text/markup";
import { lastWhere } from "./blocks";
import type { ReaderDocument } from "./reader-document";

export interface Found {
  readonly hits: readonly TextSpan[];
  /** There are more than these. */
  readonly more: boolean;
}

export const MOST_HITS = 20_000;
const NOTHING: Found = { hits: [], more: false };

/**
 * The matches of `wanted`, up to `MOST_HITS`. A match never spans a gap, where text is withheld.
 */
export function find({ shown, spans, gaps }: ReaderDocument, wanted: string): Found {
  if (wanted === "") return NOTHING;
  const pattern = new RegExp(wanted.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), "giu");
  const hits: TextSpan[] = [];
  for (let match = pattern.exec(shown); match; match = pattern.exec(shown)) {
    const from = match.index;
    const to = from + match[0].length;
    if (gaps && isCut(spans, from, to)) {
      pattern.lastIndex = from + ((shown.codePointAt(from) ?? 0) > 0xffff ? 2 : 1);
      continue;
    }
    if (hits.length === MOST_HITS) return { hits, more: true };
    hits.push({ from, to });
  }
  return { hits, more: false };
}

function isCut(gaps: readonly TextSpan[], from: number, to: number): boolean {
  const last = gaps[lastWhere(gaps, (gap) => gap.from < to)];
  return last !== undefined && last.from > from && last.from < to;
}

/** The index of the first hit at or after `offset`; 0 if there is none. */
export function hitFrom(hits: readonly TextSpan[], offset: number): number {
  const at = hits.findIndex(({ from }) => from >= offset);
  return Math.max(0, at);
}
