/** Where a phrase stands in the document, whatever is classified of it; in time that grows with the text alone. */

import type { Node } from "@tiptap/pm/model";
import { type ComparedText, comparedText, type Form, formOf, type Stretch } from "./compared-text";
import { runsOf } from "./runs";

export interface FindOptions {
  readonly matchCase: boolean;
  readonly wholeWords: boolean;
}

/** The places of the phrase, in order; none overlaps another. White space in it stands for any white space. */
export function occurrences(doc: Node, phrase: string, options: FindOptions): Stretch[] {
  const search = new PhraseSearch(phrase, options);
  if (search.isEmpty) return [];
  const compared = comparedText(doc, search.as);
  const found: Stretch[] = [];
  search.find(compared.normal, (from, to) => {
    const hit = compared.stretch(from, to);
    const isHit = search.takes(compared.text, hit);
    if (isHit) found.push(hit);
    return isHit;
  });
  return found;
}

/** Looks for a phrase in text that is in the form `as`, and says which of the places that it finds are meant. */
export class PhraseSearch {
  readonly as: Form;
  readonly #wanted: string;
  readonly #wholeWords: boolean;
  readonly #fallbacks: Uint32Array;

  constructor(phrase: string, { matchCase, wholeWords }: FindOptions) {
    this.as = matchCase ? "exact" : "folded";
    this.#wanted = formOf(phrase, this.as);
    this.#wholeWords = wholeWords;
    this.#fallbacks = fallbacksOf(this.#wanted);
  }

  /** Nothing but white space is looked for: it stands nowhere. */
  get isEmpty(): boolean {
    return this.#wanted === "";
  }

  /** `found` says whether it takes a place; then the next does not overlap it. How much of the phrase `normal` ends with. */
  find(normal: string, found: (from: number, to: number) => boolean): number {
    const wanted = this.#wanted;
    // Knuth, Morris, Pratt: as quick for a phrase that repeats itself in a text that does.
    const fallbacks = this.#fallbacks;
    let matched = 0;
    for (let at = 0; at < normal.length; at++) {
      const unit = normal.charCodeAt(at);
      while (matched > 0 && wanted.charCodeAt(matched) !== unit) matched = fallbacks[matched - 1] ?? 0;
      if (wanted.charCodeAt(matched) === unit) matched++;
      if (matched < wanted.length) continue;
      matched = found(at + 1 - matched, at + 1) ? 0 : (fallbacks[matched - 1] ?? 0);
    }
    return matched;
  }

  takes(text: string, hit: Stretch): boolean {
    return isWhole(text, hit) && (!this.#wholeWords || isWholeWord(text, hit));
  }
}

/** For each length: how much of the phrase's start its first so many units end with. */
function fallbacksOf(phrase: string): Uint32Array {
  const fallbacks = new Uint32Array(phrase.length);
  for (let at = 1, length = 0; at < phrase.length; at++) {
    while (length > 0 && phrase.charCodeAt(at) !== phrase.charCodeAt(length)) length = fallbacks[length - 1] ?? 0;
    if (phrase.charCodeAt(at) === phrase.charCodeAt(length)) length++;
    fallbacks[at] = length;
  }
  return fallbacks;
}

const GOES_ON = /^(?:\u200d|[\p{M}\p{Emoji_Modifier}\p{Regional_Indicator}\u1160-\u11ff])/u;

/** That neither edge cuts a character. */
function isWhole(text: string, { from, to }: Stretch): boolean {
  return !cuts(text, from) && !cuts(text, to);
}

function cuts(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  const after = text.charCodeAt(at);
  // Nothing below combines with what is before or behind it.
  if (!(after >= 0x300 || before >= 0x300)) return false;
  if (before === 0x200d) return true;
  if (before >= 0xd800 && before < 0xdc00) return true;
  return GOES_ON.test(text.slice(at, at + 2));
}

const WORD = /^[\p{L}\p{N}\p{M}_]$/u;
/** Scripts that put no space between words: there, every place is as good as a word's edge. */
const UNPARTED =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]$/u;

/** That it neither begins nor ends within a word: letters and digits of any script. */
export function isWholeWord(text: string, { from, to }: Stretch): boolean {
  return !joinsWord(text, from) && !joinsWord(text, to);
}

function joinsWord(text: string, at: number): boolean {
  if (at <= 0 || at >= text.length) return false;
  const low = text.charCodeAt(at - 1);
  const isPair = low >= 0xdc00 && low < 0xe000 && at > 1;
  return isWordCharacter(text.codePointAt(isPair ? at - 2 : at - 1)) && isWordCharacter(text.codePointAt(at));
}

function isWordCharacter(point: number | undefined): boolean {
  if (point === undefined) return false;
  if (point < 0x80) return /\w/.test(String.fromCharCode(point));
  const character = String.fromCodePoint(point);
  return WORD.test(character) && !UNPARTED.test(character);
}

/** How much of a place is classified; white space does not count. */
export type Standing = "marked" | "partly" | "plain";

/** Of each of these places, which are in order. */
export function standings(doc: Node, places: readonly Stretch[]): Standing[] {
  const spans = new RunWalk(doc);
  return places.map((place) => spans.standing(place));
}

/** Walks the document's runs beside places that are in order. */
export class RunWalk {
  readonly #runs: readonly { readonly text: string; readonly span: number | null }[];
  #index = 0;
  #start = 0;

  constructor(doc: Node) {
    this.#runs = runsOf(doc);
  }

  standing({ from, to }: Stretch): Standing {
    for (
      let run = this.#runs[this.#index];
      run && this.#start + run.text.length <= from;
      run = this.#runs[this.#index]
    ) {
      this.#start += run.text.length;
      this.#index++;
    }
    let marked = false;
    let plain = false;
    let start = this.#start;
    for (let index = this.#index; start < to; index++) {
      const run = this.#runs[index];
      if (!run) break;
      const isKnown = run.span === null ? plain : marked;
      if (!isKnown && /\S/.test(run.text.slice(Math.max(0, from - start), to - start))) {
        if (run.span === null) plain = true;
        else marked = true;
      }
      start += run.text.length;
    }
    if (!marked) return "plain";
    return plain ? "partly" : "marked";
  }
}

/** What stands around a place, for a list: some words before it, the place, some behind; white space joined. */
export interface Context {
  readonly before: string;
  readonly hit: string;
  readonly after: string;
}

const AROUND = 32;
const MOST_SHOWN = 80;

export function contextOf({ text }: Pick<ComparedText, "text">, { from, to }: Stretch): Context {
  const joined = (part: string) => part.replace(/\s+/gu, " ");
  const start = Math.max(0, from - AROUND);
  const end = Math.min(text.length, to + 2 * AROUND);
  const hit = joined(text.slice(from, Math.min(to, from + MOST_SHOWN)));
  return {
    before: (start > 0 ? "…" : "") + joined(wholePairs(text, start, from)).trimStart(),
    hit: to - from > MOST_SHOWN ? `${hit.trimEnd()}…` : hit,
    after: to - from > MOST_SHOWN ? "" : joined(wholePairs(text, to, end)).trimEnd() + (end < text.length ? "…" : ""),
  };
}

/** Without halves of surrogate pairs at its ends. */
function wholePairs(text: string, from: number, to: number): string {
  return text.slice(from, to).replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, "");
}
