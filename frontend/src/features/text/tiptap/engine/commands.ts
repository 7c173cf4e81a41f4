/** Marking and finding one's way. Each command is one transaction with one step, however much it covers. */

import { closeHistory } from "@tiptap/pm/history";
import type { Node } from "@tiptap/pm/model";
import { type Command, type EditorState, TextSelection, type Transaction } from "@tiptap/pm/state";
import { snapBack, snapForward, wordAt } from "@/marked-text/characters";
import { type Classification, ClassifyStep } from "./classify-step";
import { inLine, textRange } from "./insert";
import { spans as allSpans, findSpan, type Span, spanAt } from "./queries";
import { freshSpan, piecesBetween } from "./runs";

/** Two positions in lines. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/**
 * Classifies the selection, or the word at the cursor: whole characters, and one span with those that it overlaps.
 */
export const mark: Command = (state, dispatch) => {
  const range = state.selection.empty ? wordRange(state) : textRange(state.doc, state.selection);
  return range !== null && markRanges([range])(state, dispatch);
};

/** Classifies all these ranges, as `mark` does each, in one step. */
export function markRanges(ranges: readonly Range[]): Command {
  return (state, dispatch) => {
    const { doc } = state;
    const whole = ranges
      .map(({ from, to }) => ({ from: snapped(doc, from, -1), to: snapped(doc, to, 1) }))
      .filter(({ from, to }) => to > from && piecesBetween(doc, from, to).some(({ span }) => span === null))
      .sort((one, other) => one.from - other.from);
    if (!whole.length) return false;
    dispatch?.(classify(state, unions(allSpans(doc), freshSpan(doc), whole)));
    return true;
  };
}

/**
 * The ranges, each with the spans that it overlaps; those that overlap then are one. `ranges` are sorted; they and the
 * spans are positions, or offsets in the text.
 */
export function unions(
  spans: readonly (Range & { readonly id: number })[],
  firstFresh: number,
  ranges: readonly Range[],
): Classification[] {
  let fresh = firstFresh;
  let index = 0;
  const found: { from: number; to: number; span: number }[] = [];
  for (const range of ranges) {
    const last = found.at(-1);
    if (last && range.from < last.to) {
      last.to = Math.max(last.to, range.to);
      index = spreadOver(spans, index, last);
      continue;
    }
    while ((spans[index]?.to ?? Number.POSITIVE_INFINITY) <= range.from) index++;
    const first = spans[index];
    const overlaps = first !== undefined && first.from < range.to;
    const union = { ...range, span: overlaps ? first.id : fresh++ };
    if (overlaps) union.from = Math.min(union.from, first.from);
    index = spreadOver(spans, index, union);
    found.push(union);
  }
  return found;
}

/** Widens the union to the end of the spans that begin in it; returns the index of the first that does not. */
function spreadOver(spans: readonly Range[], start: number, union: { to: number }): number {
  let index = start;
  for (let span = spans[index]; span && span.from < union.to; span = spans[index]) {
    union.to = Math.max(union.to, span.to);
    index++;
  }
  return index;
}

/**
 * Unmarks what is selected, whole characters only, or the span at the cursor. What is left of a span on both sides is
 * two spans.
 */
export const unmark: Command = (state, dispatch) => {
  const { doc, selection } = state;
  const range = selection.empty ? spanAt(doc, selection.head) : inwards(doc, textRange(doc, selection));
  if (!range || !piecesBetween(doc, range.from, range.to).some(({ span }) => span !== null)) return false;
  const ranges: Classification[] = [{ from: range.from, to: range.to, span: null }];
  const cut = allSpans(doc).find(({ from, to }) => from < range.from && to > range.to);
  if (cut) ranges.push({ from: range.to, to: cut.to, span: freshSpan(doc) });
  dispatch?.(classify(state, ranges));
  return true;
};

function inwards(doc: Node, { from, to }: Range): Range {
  return { from: snapped(doc, from, 1), to: snapped(doc, to, -1) };
}

/** Unmarks if all that is selected, or the cursor, is in spans; else marks. */
export const toggle: Command = (state, dispatch) => {
  return (isMarked(state) ? unmark : mark)(state, dispatch);
};

/** Whether `toggle` would unmark. */
export function isMarked(state: EditorState): boolean {
  const { doc, selection } = state;
  if (selection.empty) return spanAt(doc, selection.head) !== null;
  const { from, to } = textRange(doc, selection);
  const pieces = piecesBetween(doc, from, to);
  return pieces.length > 0 && pieces.every(({ span }) => span !== null);
}

/** Selects the span with this id and brings it into view. */
export function selectSpan(id: number): Command {
  return (state, dispatch) => select(state, findSpan(state.doc, id), dispatch);
}

/** Selects the span after the selection; after the last one, the first. */
export const nextSpan: Command = (state, dispatch) => {
  const { from, to } = state.selection;
  const spans = allSpans(state.doc);
  const next = spans.find((span) => span.from > from || (span.from === from && span.to > to)) ?? spans[0];
  return select(state, next ?? null, dispatch);
};

/** Selects the span before the selection, or the one that the cursor is in; before the first one, the last. */
export const previousSpan: Command = (state, dispatch) => {
  const { from } = state.selection;
  const spans = allSpans(state.doc);
  const previous = spans.findLast((span) => span.from < from) ?? spans.at(-1);
  return select(state, previous ?? null, dispatch);
};

function select(state: EditorState, span: Span | null, dispatch?: (tr: Transaction) => void): boolean {
  if (!span) return false;
  dispatch?.(state.tr.setSelection(TextSelection.create(state.doc, span.from, span.to)).scrollIntoView());
  return true;
}

function classify(state: EditorState, ranges: readonly Classification[]): Transaction {
  return closeHistory(state.tr.step(new ClassifyStep(ranges)));
}

function wordRange(state: EditorState): Range | null {
  const { $head } = state.selection;
  if (!$head.parent.inlineContent) return null;
  const word = wordAt($head.parent.textContent, $head.parentOffset);
  return word && { from: $head.start() + word.from, to: $head.start() + word.to };
}

/** The position, moved back or forward in its line to the bound of a character. */
function snapped(doc: Node, pos: number, direction: 1 | -1): number {
  const $pos = doc.resolve(inLine(doc, pos, direction));
  const snap = direction === 1 ? snapForward : snapBack;
  return $pos.start() + snap($pos.parent.textContent, $pos.parentOffset);
}
