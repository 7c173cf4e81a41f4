/**
 * Marked here, unmarked there: text that is classified in one place and stands plain in another.
 *
 * Two texts are the same here whatever their capitals, white space and compatible forms (see `compared-text.ts`), also
 * within a longer word; one or two letters or digits count as whole words only. Of a long passage the first
 * `MOST_COMPARED` characters tell, and a place goes on for as far as it is the same.
 */

import type { Node } from "@tiptap/pm/model";
import { type ComparedText, comparedText, formOf, type Stretch } from "./compared-text";
import { isWholeWord, RunWalk } from "./occurrences";
import { phraseFinder } from "./phrase-finder";
import { runsOf } from "./runs";

export interface Leak {
  /** What its places have in common; says which leak it is when the document has changed. */
  readonly phrase: string;
  /** As it is written where it is marked first. */
  readonly written: string;
  /** In how many spans it is marked, just so. */
  readonly marked: number;
  /** Where it is not marked, or not all of it; offsets in the text, in order. */
  readonly places: readonly Stretch[];
}

export const MOST_COMPARED = 200;
const MOST_WRITTEN = 80;
const SHORT = 2;

interface Marked {
  readonly key: string;
  readonly whole: string;
  readonly written: string;
  count: number;
}

/** The leaks, by their first place; a place within another one counts with that alone. */
export function leaks(doc: Node): Leak[] {
  const marked = markedPhrases(doc);
  if (marked.length === 0) return [];
  const compared = comparedText(doc, "folded");
  const found = marked.map((): Stretch[] => []);
  for (const { phrase, from, to } of outermost(plainPlaces(doc, placesOf(marked, compared)))) {
    found[phrase]?.push({ from, to });
  }
  return marked
    .map(({ key, written, count }, index) => ({ phrase: key, written, marked: count, places: found[index] ?? [] }))
    .filter(({ places }) => places.length > 0)
    .sort((one, other) => (one.places[0]?.from ?? 0) - (other.places[0]?.from ?? 0));
}

const EDGES = /^[\s.,;:!?…"'“”„‘’‚«»()[\]{}]+|[\s.,;:!?…"'“”„‘’‚«»()[\]{}]+$/gu;

function markedPhrases(doc: Node): Marked[] {
  const known = new Map<string, Marked>();
  for (const { span, text } of runsOf(doc)) {
    if (span === null) continue;
    const whole = formOf(text, "folded").replace(EDGES, "");
    const key = whole.slice(0, MOST_COMPARED);
    const same = known.get(key);
    if (same) same.count++;
    else if (key !== "") known.set(key, { key, whole, written: excerpt(text), count: 1 });
  }
  return [...known.values()];
}

function excerpt(text: string): string {
  const start = text
    .slice(0, 4 * MOST_WRITTEN)
    .replace(/\s+/gu, " ")
    .replace(EDGES, "");
  if (start.length <= MOST_WRITTEN) return start;
  return `${start.slice(0, MOST_WRITTEN).replace(/[\ud800-\udbff]$/, "")}…`;
}

interface Place extends Stretch {
  readonly phrase: number;
}

/** All places of these phrases, of those that end at the same character the longest. */
function placesOf(marked: readonly Marked[], compared: ComparedText): Place[] {
  const { normal, text } = compared;
  const places: Place[] = [];
  /** How far each long phrase was followed: it is compared anew only behind that, so that all of it takes one pass. */
  const followed = new Int32Array(marked.length);
  const isShort = marked.map(({ key }) => [...key].length <= SHORT);
  phraseFinder(marked.map(({ key }) => key)).find(normal, (phrase, from, to) => {
    let end = to;
    const { whole, key } = marked[phrase] as Marked;
    if (whole.length > key.length) {
      if (from < (followed[phrase] ?? 0)) return true;
      let length = key.length;
      while (length < whole.length && normal.charCodeAt(from + length) === whole.charCodeAt(length)) length++;
      end = from + length;
      if (normal.charCodeAt(end - 1) === 0x20) end--;
      followed[phrase] = end;
    }
    const place = compared.stretch(from, end);
    if (isShort[phrase] && !isWholeWord(text, place)) return false;
    places.push({ phrase, ...place });
    return true;
  });
  return places.sort((one, other) => one.from - other.from || other.to - one.to);
}

function plainPlaces(doc: Node, places: readonly Place[]): Place[] {
  const walk = new RunWalk(doc);
  return places.filter((place) => walk.standing(place) !== "marked");
}

/** Those that lie in none of the others. They are in order; of those that begin together, the longest comes first. */
function outermost(places: readonly Place[]): Place[] {
  let reached = 0;
  return places.filter(({ to }) => {
    const isOuter = to > reached;
    if (isOuter) reached = to;
    return isOuter;
  });
}
