/** Finds a phrase in a long text: what `editor/occurrences.ts` finds in a short one, but a window of the text at a time. */
import type { Text } from "@codemirror/state";
import { endIn, form, isParted, startIn } from "@/features/text/tiptap/engine/compared-text";
import { type FindOptions, PhraseSearch } from "@/features/text/tiptap/engine/occurrences";
import type { TextSpan } from "@/marked-text/markup";

export interface Wanted extends FindOptions {
  readonly phrase: string;
}

/** More places than this are not listed, and not marked in one go. */
export const MOST_PLACES = 1_000_000;

/** How long it works at a stretch, in ms. */
const STRETCH_MS = 12;

/** So much is looked through between two looks at the clock, in UTF-16 code units: some milliseconds. */
const WINDOW = 1 << 16;

/** So much around a place says whether it cuts a character or a word. */
const AROUND = 2;

/**
 * The places of a phrase, in order, without overlaps.
 *
 * @throws the signal's reason if it is aborted.
 */
export async function findAll(
  doc: Text,
  { phrase, ...options }: Wanted,
  signal: AbortSignal,
  window = WINDOW,
): Promise<TextSpan[]> {
  const found: TextSpan[] = [];
  const search = new PhraseSearch(phrase, options);
  if (search.isEmpty) return found;
  let until = performance.now() + STRETCH_MS;
  for (let start = 0, end = 0; end < doc.length; ) {
    // At least as much again as is read once more, so that time grows with the text alone.
    end = partedFrom(doc, end + Math.max(window, end - start));
    const first = Math.max(0, start - AROUND);
    const text = doc.sliceString(first, end + AROUND, "\n");
    const formed = form(text.slice(start - first, end - first), search.as);
    const begun = search.find(formed.normal, (from, to) => {
      const hit = { from: start - first + startIn(formed, from), to: start - first + endIn(formed, to) };
      const isHit = found.length < MOST_PLACES && search.takes(text, hit);
      if (isHit) found.push({ from: first + hit.from, to: first + hit.to });
      return isHit;
    });
    if (found.length === MOST_PLACES) break;
    // What the window ends with may be the beginning of a place.
    start = begun > 0 ? start + startIn(formed, formed.normal.length - begun) : end;
    if (performance.now() > until) {
      await new Promise((resolve) => setTimeout(resolve));
      signal.throwIfAborted();
      until = performance.now() + STRETCH_MS;
    }
  }
  return found;
}

/** The first offset from there on at which the text may be parted. */
function partedFrom(doc: Text, offset: number): number {
  let at = offset;
  while (at < doc.length && !isParted(doc.sliceString(at - 1, at, "\n"), doc.sliceString(at, at + 2, "\n"))) at++;
  return Math.min(at, doc.length);
}

/** The index of the first place that does not end before `pos`; after the last, 0. */
export function placeNear(places: readonly TextSpan[], pos: number): number {
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((places[middle]?.to ?? 0) <= pos) low = middle + 1;
    else high = middle;
  }
  return low < places.length ? low : 0;
}
