/** Where the edge of a span goes when it is moved by a word or a character, whichever editor it is moved in. */

import { clusterAfter, clusterBefore } from "./characters";

export type Unit = "character" | "word";

const segmenter = new Intl.Segmenter(undefined, { granularity: "word" });
/** How far around the edge a word is looked for. */
export const REACH = 512;

/** The end of the word at or after `at`, or of the character. */
export function ahead(text: string, at: number, unit: Unit): number {
  if (unit === "character") return clusterAfter(text, at);
  const end = Math.min(text.length, at + REACH);
  for (const { index, segment, isWordLike } of segmenter.segment(text.slice(at, end))) {
    if (isWordLike) return at + index + segment.length;
  }
  return end;
}

/** The start of the word at or before `at`, or of the character. */
export function behind(text: string, at: number, unit: Unit): number {
  if (unit === "character") return clusterBefore(text, at);
  const start = Math.max(0, at - REACH);
  let found = start;
  for (const { index, isWordLike } of segmenter.segment(text.slice(start, at))) if (isWordLike) found = start + index;
  return found;
}

/** The end of the word before the one that ends at `at`, or of the character. */
export function lastEnd(text: string, at: number, unit: Unit): number {
  if (unit === "character") return clusterBefore(text, at);
  const start = Math.max(0, at - REACH);
  let found = start;
  for (const { index, segment, isWordLike } of segmenter.segment(text.slice(start, at))) {
    const end = start + index + segment.length;
    if (isWordLike && end < at) found = end;
  }
  return found;
}

/** The start of the word after the one that begins at `at`, or of the character. */
export function nextStart(text: string, at: number, unit: Unit): number {
  if (unit === "character") return clusterAfter(text, at);
  const end = Math.min(text.length, at + REACH);
  for (const { index, isWordLike } of segmenter.segment(text.slice(at, end))) {
    if (isWordLike && index > 0) return at + index;
  }
  return end;
}
