/**
 * Where the edge of a span goes when it is moved by a word or a character, to a selection, or dragged, whichever editor
 * it is moved in.
 */

import { clusterAfter, clusterBefore, snapBack, snapForward } from "./characters";
import type { TextSpan } from "./markup";

export type Edge = "start" | "end";

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

/**
 * What a span becomes when this edge of it is dragged to `at`, or as near to it as it may go: it stops at the spans beside
 * it, so it stays `within`, cuts no character, and leaves something of the span. Null for a span within one character,
 * which only a text from elsewhere has: it stays as it is. `stepFrom`: where a step leads to, given the text around there.
 */
export function draggedTo(
  span: TextSpan,
  edge: Edge,
  at: number,
  within: TextSpan,
  stepFrom: (at: number, step: (text: string, at: number) => number) => number,
): TextSpan | null {
  const near = stepFrom(at, snapBack);
  const wanted =
    edge === "start"
      ? { from: Math.max(within.from, Math.min(near, stepFrom(span.to, clusterBefore))), to: span.to }
      : { from: span.from, to: Math.min(within.to, Math.max(near, stepFrom(span.from, clusterAfter))) };
  return wanted.from < wanted.to ? wanted : null;
}

/**
 * What the one span that a selection reaches into becomes when both its edges go to where the selection's are; null if
 * that reaches into none or several, or is the span already. The selection is widened to whole characters. `reached`: the
 * spans that overlap a range. `stepFrom`: as above.
 */
export function fittedTo<S extends TextSpan>(
  selected: TextSpan,
  reached: (range: TextSpan) => readonly S[],
  stepFrom: (at: number, step: (text: string, at: number) => number) => number,
): { readonly span: S; readonly wanted: TextSpan } | null {
  if (selected.from >= selected.to) return null;
  const wanted = { from: stepFrom(selected.from, snapBack), to: stepFrom(selected.to, snapForward) };
  const [span, other] = reached(wanted);
  if (!span || other || (span.from === wanted.from && span.to === wanted.to)) return null;
  return { span, wanted };
}

/** What `span` gains, or loses, when it becomes `wanted`, which overlaps it; in order. */
export function differences(span: TextSpan, wanted: TextSpan): readonly (TextSpan & { readonly gained: boolean })[] {
  return [
    { from: wanted.from, to: span.from, gained: true },
    { from: span.from, to: wanted.from, gained: false },
    { from: wanted.to, to: span.to, gained: false },
    { from: span.to, to: wanted.to, gained: true },
  ].filter(({ from, to }) => from < to);
}
