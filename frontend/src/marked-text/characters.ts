/**
 * What people call a character: a grapheme cluster, which may be many code units (a letter with its accents, a family
 * of emoji). Nothing that a person does cuts one.
 */

import { cutsPair } from "./markup";

const clusters = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const words = new Intl.Segmenter(undefined, { granularity: "word" });

/** How far around an offset is looked for the bounds of a cluster or a word. */
const REACH = 512;

/** The last bound of a cluster at or before `offset`. */
export function snapBack(text: string, offset: number): number {
  const cluster = clusterAround(text, offset);
  return cluster ? cluster.from : offset;
}

/** The first bound of a cluster at or after `offset`. */
export function snapForward(text: string, offset: number): number {
  const cluster = clusterAround(text, offset);
  return cluster ? cluster.to : offset;
}

/** The cluster that `offset` cuts, if it cuts one. */
function clusterAround(text: string, offset: number): { from: number; to: number } | null {
  if (offset <= 0 || offset >= text.length || isPlainBound(text, offset)) return null;
  const { window, start } = windowAround(text, offset);
  const cluster = clusters.segment(window).containing(offset - start);
  if (!cluster || cluster.index + start === offset) return null;
  return { from: cluster.index + start, to: cluster.index + start + cluster.segment.length };
}

/** ASCII on both sides, and no CR LF: always a bound, and by far the most common case. */
function isPlainBound(text: string, offset: number): boolean {
  const before = text.charCodeAt(offset - 1);
  const after = text.charCodeAt(offset);
  return before < 0x80 && after < 0x80 && !(before === 0x0d && after === 0x0a);
}

/** Where the cluster that ends at `offset` begins; 0 at the start. */
export function clusterBefore(text: string, offset: number): number {
  return offset <= 0 ? 0 : snapBack(text, offset - 1);
}

/** Where the cluster that begins at `offset` ends. */
export function clusterAfter(text: string, offset: number): number {
  return offset >= text.length ? text.length : snapForward(text, offset + 1);
}

/** The word at `offset`, in it or at one of its ends, without the punctuation around it. */
export function wordAt(text: string, offset: number): { from: number; to: number } | null {
  const { window, start } = windowAround(text, offset);
  const segmented = words.segment(window);
  for (const at of [offset - start, offset - start - 1]) {
    const word = at >= 0 ? segmented.containing(at) : undefined;
    if (word?.isWordLike) return { from: start + word.index, to: start + word.index + word.segment.length };
  }
  return null;
}

/** The text near `offset`; it begins and ends on whole code points, at white space if there is any. */
function windowAround(text: string, offset: number): { window: string; start: number } {
  let start = Math.max(0, offset - REACH);
  let end = Math.min(text.length, offset + REACH);
  if (cutsPair(text, start)) start--;
  if (cutsPair(text, end)) end++;
  return { window: text.slice(start, end), start };
}

/**
 * Where to break a text that is too long, at most `limit` in: after white space if there is some near, else between
 * two characters.
 */
export function breakPoint(text: string, limit: number): number {
  if (limit <= 0) return 0;
  for (let at = limit; at > limit - REACH && at > 0; at--) {
    const before = text.charCodeAt(at - 1);
    if (before === 0x20 || before === 0x09) {
      if (isPlainBound(text, at)) return at;
    }
  }
  const point = snapBack(text, limit);
  if (point > 0) return point;
  return cutsPair(text, limit) ? limit - 1 : limit;
}
