/**
 * What differs between two texts: their words, and which of them are classified.
 *
 * Invariant: the runs of the old text, joined, are the old text, and those of the new text are the new one.
 */
import { diffWordsWithSpace } from "diff";
import type { MarkedDocument, TextSpan } from "@/marked-text/markup";

/** Longer than this, a comparison would stop the page. */
const MOST_MS = 3000;

/** A stretch of text that is in one or both versions, and in each of them classified as a whole or not at all. */
export interface Run {
  readonly text: string;
  readonly where: "both" | "old" | "new";
  readonly wasClassified: boolean;
  readonly isClassified: boolean;
}

export interface Comparison {
  readonly runs: readonly Run[];
  readonly wordsAdded: number;
  readonly wordsRemoved: number;
  /** Passages of both versions that are classified in the new one only, and in the old one only. */
  readonly marksAdded: number;
  readonly marksRemoved: number;
}

/** The comparison; null if the texts differ so much that it would take too long. */
export function compareTexts(before: MarkedDocument, after: MarkedDocument): Comparison | null {
  const parts = diffWordsWithSpace(before.text, after.text, { timeout: MOST_MS });
  if (parts === undefined) return null;
  const runs: Run[] = [];
  let [old, now, wordsAdded, wordsRemoved] = [0, 0, 0, 0];
  const [oldCuts, newCuts] = [cutsOf(before.spans), cutsOf(after.spans)];
  for (const { value, added, removed } of parts) {
    const where = added ? "new" : removed ? "old" : "both";
    if (added) wordsAdded += wordsIn(value);
    if (removed) wordsRemoved += wordsIn(value);
    const inOld = where === "new" ? [] : oldCuts.within(old, value.length);
    const inNew = where === "old" ? [] : newCuts.within(now, value.length);
    const cuts = [...new Set([0, ...inOld, ...inNew, value.length])].sort((a, b) => a - b);
    for (const [at, from] of cuts.slice(0, -1).entries()) {
      runs.push({
        text: value.slice(from, cuts[at + 1]),
        where,
        wasClassified: where !== "new" && oldCuts.covers(old + from),
        isClassified: where !== "old" && newCuts.covers(now + from),
      });
    }
    if (where !== "new") old += value.length;
    if (where !== "old") now += value.length;
  }
  const inBoth = runs.filter(({ where }) => where === "both");
  return {
    runs,
    wordsAdded,
    wordsRemoved,
    marksAdded: passages(inBoth, ({ wasClassified, isClassified }) => isClassified && !wasClassified),
    marksRemoved: passages(inBoth, ({ wasClassified, isClassified }) => wasClassified && !isClassified),
  };
}

/** Looks up spans, from the start of the text to its end. */
function cutsOf(spans: readonly TextSpan[]) {
  let next = 0;
  const advance = (at: number) => {
    while (next < spans.length && (spans[next]?.to ?? 0) <= at) next += 1;
  };
  return {
    /** Where spans begin or end in that stretch, from its start. */
    within(start: number, length: number): number[] {
      advance(start);
      const found: number[] = [];
      for (let at = next; at < spans.length; at += 1) {
        const { from, to } = spans[at] as TextSpan;
        if (from >= start + length) break;
        for (const edge of [from, to]) if (edge > start && edge < start + length) found.push(edge - start);
      }
      return found;
    },
    covers(at: number): boolean {
      advance(at);
      return (spans[next]?.from ?? Number.POSITIVE_INFINITY) <= at;
    },
  };
}

function wordsIn(text: string): number {
  return text.match(/\S+/g)?.length ?? 0;
}

function passages(runs: readonly Run[], changed: (run: Run) => boolean): number {
  return runs.filter((run, at) => changed(run) && !(at > 0 && changed(runs[at - 1] as Run))).length;
}

/** The most characters of unchanged text that are shown on each side of a change. */
const CONTEXT = 200;

/** A run, or the number of characters of unchanged text that are left out. */
export type Shown = Run | { readonly leftOut: number };

/** Without the middle of long unchanged runs. */
export function changesOf(runs: readonly Run[]): readonly Shown[] {
  return runs.flatMap((run, at): Shown[] => {
    const unchanged = run.where === "both" && run.wasClassified === run.isClassified;
    const head = at === 0 ? 0 : CONTEXT;
    const tail = at === runs.length - 1 ? 0 : CONTEXT;
    if (!unchanged || run.text.length <= head + tail + CONTEXT) return [run];
    const [from, to] = [lineEnd(run.text, head), lineStart(run.text, run.text.length - tail)];
    if (to <= from) return [run];
    const start = { ...run, text: run.text.slice(0, from) };
    const end = { ...run, text: run.text.slice(to) };
    return [start, { leftOut: to - from }, end].filter((part) => !("text" in part) || part.text !== "");
  });
}

/** The next place from `at` on where a line, or else a word, ends. */
function lineEnd(text: string, at: number): number {
  if (at === 0) return 0;
  const line = text.indexOf("\n", at);
  if (line >= 0 && line - at < CONTEXT) return line + 1;
  const word = text.indexOf(" ", at);
  return word >= 0 ? word + 1 : text.length;
}

function lineStart(text: string, at: number): number {
  if (at === text.length) return at;
  const line = text.lastIndexOf("\n", at);
  if (line >= 0 && at - line < CONTEXT) return line + 1;
  const word = text.lastIndexOf(" ", at);
  return word >= 0 ? word + 1 : 0;
}
