/** The gateway counts characters as code points, the browser as UTF-16 units. */

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
