/**
 * Marked here, unmarked there: text that is classified in one place and stands plain in another.
 *
 * Two texts are the same here whatever their capitals, white space and compatible forms (see `compared-text.ts`), also
 * within a longer word, all of which is the place then; one or two letters or digits count as whole words only. Of a
 * long passage the first `MOST_COMPARED` characters tell, and a place goes on for as far as it is the same. Of a marked
 * name of two or three words each word counts, too, where it stands alone with its capital.
 */

import type { Node } from "@tiptap/pm/model";
import { type ComparedText, comparedText, formOf, type Stretch } from "./compared-text";
import { isWholeWord, RunWalk, widened } from "./occurrences";
import { phraseFinder } from "./phrase-finder";
import { runsOf } from "./runs";

export interface Leak {
  /** What its places have in common; says which leak it is when the document has changed. */
  readonly phrase: string;
  /** As it is written where it is marked first. */
  readonly written: string;
  /** It is marked as a part of a longer name only. */
  readonly isPart: boolean;
  /** In how many spans it is marked, just so; of a part: its name. */
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
  readonly isPart: boolean;
  count: number;
}

/** The leaks, by their first place; a place within another one counts with that alone. */
export function leaks(doc: Node): Leak[] {
  const marked = [...markedPhrases(doc).values()];
  return plainPlacesOf(doc, marked)
    .map((places, index): Leak => {
      const { key, written, isPart, count } = marked[index] as Marked;
      // No key begins with a space: left as a part, it is told of once it is marked itself.
      return { phrase: isPart ? ` ${key}` : key, written, isPart, marked: count, places };
    })
    .filter(({ places }) => places.length > 0)
    .sort((one, other) => (one.places[0]?.from ?? 0) - (other.places[0]?.from ?? 0));
}

/** The places that would be a leak, were this stretch of the text marked: those of its own phrase, in order. */
export function leaksOf(doc: Node, { from, to }: Stretch): readonly Stretch[] {
  const marked = markedPhrases(doc);
  const key = note(marked, comparedText(doc, "exact").text.slice(from, to));
  const found = plainPlacesOf(doc, [...marked.values()])[[...marked.keys()].indexOf(key)] ?? [];
  return found.filter((place) => place.to <= from || place.from >= to);
}

/** For each phrase, where it stands plain. */
function plainPlacesOf(doc: Node, marked: readonly Marked[]): Stretch[][] {
  const found = marked.map((): Stretch[] => []);
  if (marked.length === 0) return found;
  const compared = comparedText(doc, "folded");
  const plain = outermost(plainPlaces(doc, placesOf(marked, compared)));
  // Two that stood side by side may be in one word.
  for (const { phrase, from, to } of outermost(widened(compared.text, plain).sort(inOrder))) {
    found[phrase]?.push({ from, to });
  }
  return found;
}

const EDGES = /^[\s.,;:!?…"'“”„‘’‚«»()[\]{}]+|[\s.,;:!?…"'“”„‘’‚«»()[\]{}]+$/gu;

/** By their keys. */
function markedPhrases(doc: Node): Map<string, Marked> {
  const known = new Map<string, Marked>();
  for (const { span, text } of runsOf(doc)) if (span !== null) note(known, text);
  const names = [...known.values()];
  for (const name of names) {
    for (const written of partsOf(name)) {
      const key = formOf(written, "folded");
      const same = known.get(key);
      if (same?.isPart) same.count += name.count;
      else if (!same && key !== "") known.set(key, { key, whole: key, written, isPart: true, count: name.count });
    }
  }
  return known;
}

/** Counts a marked text in; returns its key. A part of a name is a phrase of its own once it is marked itself. */
function note(known: Map<string, Marked>, text: string): string {
  const whole = formOf(text, "folded").replace(EDGES, "");
  const key = whole.slice(0, MOST_COMPARED);
  const same = known.get(key);
  if (same && !same.isPart) same.count++;
  else if (key !== "") known.set(key, { key, whole, written: excerpt(text), isPart: false, count: 1 });
  return key;
}

const NAME_WORDS = { least: 2, most: 3 };
const LEAST_PART = 3;
const CAPITAL = /^[\p{Lu}\p{Lt}]/u;
/** They stand with a capital in many names, and everywhere else. */
const COMMON = new Set(
  (
    "January February March April May June July August September October November December " +
    "Monday Tuesday Wednesday Thursday Friday Saturday Sunday The This That These Those And For From With " +
    "North South East West New Old Mrs Miss Sir Captain Doctor"
  ).split(" "),
);

/** The words of a name that tell of it alone; none, if it does not look like a name. */
function partsOf({ written, whole }: Marked): string[] {
  if (whole.length > MOST_WRITTEN) return [];
  const words = written.split(" ").map((word) => word.replace(EDGES, ""));
  if (words.length < NAME_WORDS.least || words.length > NAME_WORDS.most) return [];
  if (!words.every((word) => CAPITAL.test(word))) return [];
  return words.filter((word) => [...word].length >= LEAST_PART && !COMMON.has(word));
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
    const { whole, key, isPart } = marked[phrase] as Marked;
    if (whole.length > key.length) {
      if (from < (followed[phrase] ?? 0)) return true;
      let length = key.length;
      while (length < whole.length && normal.charCodeAt(from + length) === whole.charCodeAt(length)) length++;
      end = from + length;
      if (normal.charCodeAt(end - 1) === 0x20) end--;
      followed[phrase] = end;
    }
    const place = compared.stretch(from, end);
    if ((isPart || isShort[phrase]) && !isWholeWord(text, place)) return false;
    if (isPart && !CAPITAL.test(text.slice(place.from, place.from + 2))) return false;
    places.push({ phrase, ...place });
    return true;
  });
  return places.sort(inOrder);
}

/** Of those that begin together, the longest comes first. */
function inOrder(one: Stretch, other: Stretch): number {
  return one.from - other.from || other.to - one.to;
}

function plainPlaces(doc: Node, places: readonly Place[]): Place[] {
  const walk = new RunWalk(doc);
  return places.filter((place) => walk.standing(place) !== "marked");
}

/** Those that lie in none of the others. */
function outermost(places: readonly Place[]): Place[] {
  let reached = 0;
  return places.filter(({ to }) => {
    const isOuter = to > reached;
    if (isOuter) reached = to;
    return isOuter;
  });
}
