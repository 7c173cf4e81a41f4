/** The gateway counts characters in code points, the browser in UTF-16 code units. */
import { countBefore } from "./binary-search";

const PAIR = /[\ud800-\udbff][\udc00-\udfff]/g;

/** How many units of `text` the first `points` code points are, for each of them; walks the text once. */
export class Units {
  /** Where the pairs are, as code points. */
  readonly #pairs: number[] = [];
  #length = 0;

  /** `text`: the whole, or how it begins. */
  constructor(text = "") {
    this.add(text);
  }

  /** The text goes on with this piece; no pair is cut between the two. */
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

/** How many code points `text` has. */
export function codePoints(text: string): number {
  let count = text.length;
  for (const _ of text.matchAll(PAIR)) count--;
  return count;
}

/** The unit at which code point `point` begins; the end of the text if it has fewer. */
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
