/**
 * Moving the edges of a span of a long text: by a character, a word, to a place, or to a selection; the same moves as
 * `tiptap/engine/edges.ts` makes.
 */

import { Annotation, EditorSelection, type EditorState, type TransactionSpec } from "@codemirror/state";
import {
  ahead,
  behind,
  differences,
  draggedTo,
  type Edge,
  fittedTo,
  lastEnd,
  nextStart,
  REACH,
  type Unit,
} from "@/marked-text/edge-steps";
import type { TextSpan } from "@/marked-text/markup";
import { lastBefore, mark, ranges, type Spans, spanFrom, spansField, spansIn, unmark } from "./spans";

/** On a transaction that moved edges of a span: that as it is then. */
export const edgeMoved = Annotation.define<TextSpan>();

/** Moves the edge that is nearer to the cursor outwards, and the cursor with it; null if there is none, or no more text. */
export function grow(state: EditorState, unit: Unit): TransactionSpec | null {
  const here = edgeHere(state);
  if (!here) return null;
  const { span, edge } = here;
  const old = span[edge];
  const step = edge === "to" ? ahead : behind;
  const at = stepFrom(state, old, (text, offset) => step(text, offset, unit));
  if (at === old) return null;
  const grown = mark(state, [{ from: Math.min(at, span.from), to: Math.max(at, span.to) }]);
  // What it reaches becomes one with it.
  const whole = spanOver(state.update(grown).state.field(spansField), span.from);
  return whole && moved(grown, whole, whole[edge]);
}

/** Moves it inwards; something is left of the span always. */
export function shrink(state: EditorState, unit: Unit): TransactionSpec | null {
  const here = edgeHere(state);
  if (!here) return null;
  const { span, edge } = here;
  const step = edge === "to" ? lastEnd : nextStart;
  const at = stepFrom(state, span[edge], (text, offset) => step(text, offset, unit));
  if (at <= span.from || at >= span.to) return null;
  return fitted(state, span, { ...span, [edge]: at }, at);
}

/** Makes the one span that the selection reaches into begin and end where the selection does; null: there is none to move. */
export function fitToSelection(state: EditorState): TransactionSpec | null {
  const { main } = state.selection;
  const found = fittedTo(
    main,
    (range) => spansIn(state, range, 2),
    (at, step) => stepFrom(state, at, step),
  );
  return found && fitted(state, found.span, found.wanted, null);
}

/** Drags this edge of the span to a position, or as near to it as it may go, and takes the cursor along; null: it stays. */
export function moveEdge(state: EditorState, span: TextSpan, edge: Edge, position: number): TransactionSpec | null {
  const wanted = edgeMovedTo(state, span, edge, position);
  if (!wanted || (wanted.from === span.from && wanted.to === span.to)) return null;
  return fitted(state, span, wanted, edge === "start" ? wanted.from : wanted.to);
}

/** What the span would be after that; null if no edge of it can move. */
export function edgeMovedTo(state: EditorState, span: TextSpan, edge: Edge, position: number): TextSpan | null {
  const spans = state.field(spansField);
  const within = {
    from: lastBefore(spans, span.from)?.to ?? 0,
    to: spanFrom(spans, span.to)?.from ?? state.doc.length,
  };
  return draggedTo(span, edge, position, within, (at, step) => stepFrom(state, at, step));
}

/** Makes the span be `wanted`, which overlaps it and reaches no other. */
function fitted(state: EditorState, span: TextSpan, wanted: TextSpan, cursor: number | null): TransactionSpec {
  const isLonger = wanted.from < span.from || wanted.to > span.to;
  const lost = differences(span, wanted).filter(({ gained }) => !gained);
  const specs = [...(isLonger ? [mark(state, [wanted])] : []), ...(lost.length ? [unmark(state, lost)] : [])];
  return moved({ ...specs[0], effects: specs.flatMap(({ effects }) => effects ?? []) }, wanted, cursor);
}

/** The span at the cursor, or at the selection's moving end, and which of its edges is meant. */
function edgeHere(state: EditorState): { span: TextSpan; edge: "from" | "to" } | null {
  const { main } = state.selection;
  let before: TextSpan | null = null;
  let after: TextSpan | null = null;
  for (const span of ranges(state.field(spansField), main.head)) {
    if (span.from > main.head) break;
    if (span.from < main.head) before ??= span;
    if (span.to > main.head) after ??= span;
  }
  const backward = main.head < main.anchor;
  const span = backward ? (after ?? before) : (before ?? after);
  if (!span) return null;
  const nearStart = main.empty ? main.head - span.from < span.to - main.head : backward;
  return { span, edge: nearStart ? "from" : "to" };
}

/** Where `step` leads to from `at`; it is given the text around there only. */
function stepFrom({ doc }: EditorState, at: number, step: (text: string, at: number) => number): number {
  const start = Math.max(0, at - 2 * REACH);
  const near = doc.sliceString(start, Math.min(doc.length, at + 2 * REACH), "\n");
  return start + step(near, at - start);
}

function spanOver(spans: Spans, pos: number): TextSpan | null {
  for (const span of ranges(spans, pos)) if (span.to > pos) return span;
  return null;
}

/** `cursor`: where the edge is now; null: the selection stays. */
function moved(spec: TransactionSpec, span: TextSpan, cursor: number | null): TransactionSpec {
  return {
    ...spec,
    annotations: [...[spec.annotations ?? []].flat(), edgeMoved.of(span)],
    ...(cursor !== null && { selection: EditorSelection.cursor(cursor), scrollIntoView: true }),
  };
}
