/** The gateway counts characters in code points, the browser in UTF-16 code units. */
import { countBefore } from "./binary-search";

const PAIR = /[\ud800-\udbff][\udc00-\udfff]/g;

/** Converts between code points and UTF-16 units of a text that it reads once. */
export class Units {
  /** The positions of the surrogate pairs, in code points. */
  readonly #pairs: number[] = [];
  #length = 0;

  /** `text`: the whole text or its beginning. */
  constructor(text = "") {
    this.add(text);
  }

  /** Appends the next piece of the text. It must not begin inside a pair. */
  add(piece: string): void {
    for (const { index } of piece.matchAll(PAIR)) this.#pairs.push(this.#length + index - this.#pairs.length);
    this.#length += piece.length;
  }

  /** The unit at which code point `point` begins. */
  of(point: number): number {
    return point + countBefore(this.#pairs.length, (index) => (this.#pairs[index] ?? 0) < point);
  }

  /** The code point that begins at `unit`, which must not be the middle of one. */
  pointOf(unit: number): number {
    return unit - countBefore(this.#pairs.length, (index) => (this.#pairs[index] ?? 0) + index < unit);
  }
}

/** The number of code points of `text`. */
export function codePoints(text: string): number {
  let count = text.length;
  for (const _ of text.matchAll(PAIR)) count--;
  return count;
}

/** The unit at which code point `point` begins, or the end of the text. */
export function indexOfPoint(text: string, point: number): number {
  return Math.min(new Units(text).of(point), text.length);
}

/** The code point at unit `index`. The middle of one counts as before it. */
export function pointOfIndex(text: string, index: number): number {
  const cuts = /^[\ud800-\udbff][\udc00-\udfff]/.test(text.slice(Math.max(0, index - 1), index + 1));
  return codePoints(text.slice(0, cuts ? index - 1 : index));
}

/** Code points `start` to `end` of `text`. */
export function slicePoints(text: string, start: number, end: number): string {
  const units = new Units(text);
  return text.slice(units.of(start), units.of(end));
}
