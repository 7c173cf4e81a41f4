/** Finds a phrase in a long text, a little at a time, so that the page stays awake. */
import { SearchCursor } from "@codemirror/search";
import type { Text } from "@codemirror/state";
import type { TextSpan } from "@/editor/markup";

export interface Wanted {
  readonly phrase: string;
  readonly matchCase: boolean;
  readonly wholeWords: boolean;
}

/** More places than this are not listed, and not marked in one go. */
export const MOST_PLACES = 1_000_000;

/** How long it works at a stretch, in ms. */
const STRETCH_MS = 12;

const WORD = /[\p{L}\p{N}\p{M}_]/u;

/**
 * The places of a phrase, in order, without overlaps; capitals and compatible forms are alike unless case matters.
 *
 * @throws the signal's reason if it is aborted.
 */
export async function findAll(doc: Text, wanted: Wanted, signal: AbortSignal): Promise<TextSpan[]> {
  const found: TextSpan[] = [];
  if (wanted.phrase === "") return found;
  const fold = wanted.matchCase ? undefined : (text: string) => text.toLowerCase();
  const cursor = new SearchCursor(doc, wanted.phrase, 0, doc.length, fold, (from, to) =>
    wanted.wholeWords ? isWhole(doc, from, to) : true,
  );
  let until = performance.now() + STRETCH_MS;
  for (let step = 1; !cursor.next().done && found.length < MOST_PLACES; step++) {
    found.push({ from: cursor.value.from, to: cursor.value.to });
    if (step % 256 === 0 && performance.now() > until) {
      await new Promise((resolve) => setTimeout(resolve));
      signal.throwIfAborted();
      until = performance.now() + STRETCH_MS;
    }
  }
  return found;
}

function isWhole(doc: Text, from: number, to: number): boolean {
  return !(goesOn(doc, from) || goesOn(doc, to));
}

/** Whether a word goes on over `at`. */
function goesOn(doc: Text, at: number): boolean {
  const before = doc.sliceString(Math.max(0, at - 2), at, "\n");
  const after = doc.sliceString(at, at + 2, "\n");
  return WORD.test(lastOf(before)) && WORD.test(firstOf(after));
}

function firstOf(text: string): string {
  return String.fromCodePoint(text.codePointAt(0) ?? 0x20);
}

function lastOf(text: string): string {
  return [...text].at(-1) ?? "";
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
