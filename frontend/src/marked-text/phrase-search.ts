/** Finds a phrase in a text: white space in it matches any white space. */
import type { TextSpan } from "./markup";
import { type Form, form } from "./text-form";

export interface Sought {
  readonly phrase: string;
  readonly matchCase: boolean;
  readonly wholeWords: boolean;
}

/** Finds a phrase in a text in the form `as`. */
export class PhraseSearch {
  readonly as: Form;
  readonly #wanted: string;
  readonly #wholeWords: boolean;
  readonly #fallbacks: Uint32Array;

  constructor({ phrase, matchCase, wholeWords }: Sought) {
    this.as = matchCase ? "exact" : "folded";
    this.#wanted = form(phrase, this.as).normal.trim();
    this.#wholeWords = wholeWords;
    this.#fallbacks = fallbacksOf(this.#wanted);
  }

  /** Whether the phrase is only white space, which matches nothing. */
  get isEmpty(): boolean {
    return this.#wanted === "";
  }

  /**
   * Calls `found` with each match in `normal`. If that returns true, the next match does not overlap it. Returns the length
   * of the longest start of the phrase that `normal` ends with.
   */
  find(normal: string, found: (from: number, to: number) => boolean): number {
    const wanted = this.#wanted;
    // Knuth, Morris and Pratt: linear time, even for a repetitive phrase in a repetitive text.
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

  /** Whether a match cuts no character and, if only whole words count, no word. */
  takes(text: string, hit: TextSpan): boolean {
    return isWhole(text, hit) && (!this.#wholeWords || isWholeWord(text, hit));
  }
}

/** For each prefix of the phrase: the length of the longest shorter prefix that it ends with. */
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

function isWhole(text: string, { from, to }: TextSpan): boolean {
  return !cuts(text, from) && !cuts(text, to);
}

function cuts(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  const after = text.charCodeAt(at);
  // Characters below U+0300 do not combine with their neighbours.
  if (!(after >= 0x300 || before >= 0x300)) return false;
  if (before === 0x200d) return true;
  if (before >= 0xd800 && before < 0xdc00) return true;
  return GOES_ON.test(text.slice(at, at + 2));
}

const WORD = /^[\p{L}\p{N}\p{M}_]$/u;
/** Scripts without spaces between words: any position counts as a word's edge. */
const UNPARTED =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]$/u;

/** Whether it neither starts nor ends within a word: letters and digits of any script. */
export function isWholeWord(text: string, { from, to }: TextSpan): boolean {
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
