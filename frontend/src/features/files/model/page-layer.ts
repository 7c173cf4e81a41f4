/** Where the words of a page lie over its picture. Sizes are fractions of the page, its own width and height. */
import type { PageWords, Word } from "@/api/files";
import { indexOfPoint } from "@/lib/code-points";
import type { Range } from "./marks";

export interface LaidWord {
  readonly word: Word;
  readonly text: string;
}

/** The words in the order of the text, each with what it says. */
export function laidWords({ text, words }: PageWords): readonly LaidWord[] {
  const laid: LaidWord[] = [];
  let at = 0;
  let point = 0;
  const advance = (to: number) => {
    at += indexOfPoint(text.slice(at), to - point);
    point = to;
    return at;
  };
  for (const word of words.toSorted((one, other) => one.start - other.start)) {
    // Words should not overlap; if one does, only the rest of it counts.
    const from = advance(Math.max(point, word.start));
    const to = advance(Math.max(point, word.end));
    laid.push({ word, text: text.slice(from, to) });
  }
  return laid;
}

/** Whether a word is marked, if only in part: its page travels whole. */
export function isMarked({ start, end }: Word, ranges: readonly Range[]): boolean {
  return ranges.some((range) => range.start < end && start < range.end);
}

/** How much text of this width, at this height, is to be stretched to fill the word's box. `ratio`: width by height. */
export function stretchOf(word: Word, ratio: number, widthAtHeight1: number): number {
  if (widthAtHeight1 <= 0 || word.h <= 0) return 1;
  return (word.w * ratio) / (word.h * widthAtHeight1);
}

/**
 * The word nearest to a place, given in fractions of the page; -1 if there is none. A word in the same line is nearer
 * than one above or below. `ratio`: width by height.
 */
export function nearestWord(laid: readonly LaidWord[], x: number, y: number, ratio: number): number {
  let nearest = -1;
  let least = Number.POSITIVE_INFINITY;
  for (const [index, { word }] of laid.entries()) {
    const across = Math.max(word.x - x, 0, x - word.x - word.w) * ratio;
    const down = Math.max(word.y - y, 0, y - word.y - word.h);
    const distance = across + 4 * down;
    if (distance < least) {
      least = distance;
      nearest = index;
    }
  }
  return nearest;
}
