/** The gateway counts characters as code points, the browser as UTF-16 units. */

const PAIR = /[\ud800-\udbff][\udc00-\udfff]/g;

/** How many units of `text` the first `points` code points are, for each of them; walks the text once. */
export class Units {
  /** Where the pairs are, as code points. */
  readonly #pairs: readonly number[];

  /** `text`: as a whole, or in pieces none of which cuts a pair. */
  constructor(text: string | Iterable<string>) {
    const pairs: number[] = [];
    let before = 0;
    for (const piece of typeof text === "string" ? [text] : text) {
      for (const { index } of piece.matchAll(PAIR)) pairs.push(before + index - pairs.length);
      before += piece.length;
    }
    this.#pairs = pairs;
  }

  /** The unit at which code point `point` begins. */
  of(point: number): number {
    let low = 0;
    let high = this.#pairs.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#pairs[middle] ?? 0) < point) low = middle + 1;
      else high = middle;
    }
    return point + low;
  }

  /** The code point that begins at `unit`, which must not be the middle of one. */
  pointOf(unit: number): number {
    let low = 0;
    let high = this.#pairs.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#pairs[middle] ?? 0) + middle < unit) low = middle + 1;
      else high = middle;
    }
    return unit - low;
  }
}
