/** Finds all places of a phrase, one window of the text at a time, so that the page stays responsive. */
import type { TextParts } from "./context";
import type { TextSpan } from "./markup";
import { PhraseSearch, type Sought } from "./phrase-search";
import { endIn, form, isParted, startIn } from "./text-form";

/** At most this many places are found. */
export const MOST_PLACES = 1_000_000;

/** How long it runs before it yields, in ms. */
const STRETCH_MS = 12;

/** Searched between two looks at the clock, in UTF-16 code units: some milliseconds. */
const WINDOW = 1 << 16;

/** Enough text around a place to tell whether it cuts a character or a word. */
const AROUND = 2;

/**
 * The places of a phrase, in order, without overlaps.
 *
 * @throws the signal's reason if it is aborted.
 */
export async function findAll(
  whole: TextParts,
  sought: Sought,
  signal: AbortSignal,
  window = WINDOW,
): Promise<TextSpan[]> {
  const found: TextSpan[] = [];
  const search = new PhraseSearch(sought);
  if (search.isEmpty) return found;
  let until = performance.now() + STRETCH_MS;
  for (let start = 0, end = 0; end < whole.length; ) {
    // At least as much new text as is read again, so that the time is linear.
    end = partedFrom(whole, end + Math.max(window, end - start));
    const first = Math.max(0, start - AROUND);
    const text = whole.slice(first, end + AROUND);
    const formed = form(text.slice(start - first, end - first), search.as);
    const begun = search.find(formed.normal, (from, to) => {
      const hit = { from: start - first + startIn(formed, from), to: start - first + endIn(formed, to) };
      const isHit = found.length < MOST_PLACES && search.takes(text, hit);
      if (isHit) found.push({ from: first + hit.from, to: first + hit.to });
      return isHit;
    });
    if (found.length === MOST_PLACES) break;
    // The window may end within a place.
    start = begun > 0 ? start + startIn(formed, formed.normal.length - begun) : end;
    if (performance.now() > until) {
      await new Promise((resolve) => setTimeout(resolve));
      signal.throwIfAborted();
      until = performance.now() + STRETCH_MS;
    }
  }
  return found;
}

/** The first offset from `offset` on at which the text may be cut. */
function partedFrom(text: TextParts, offset: number): number {
  let at = offset;
  while (at < text.length && !isParted(text.slice(at - 1, at), text.slice(at, at + 2))) at++;
  return Math.min(at, text.length);
}
