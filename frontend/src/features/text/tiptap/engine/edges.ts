/** Moves the edges of a span: one by a character or a word, one to a place, or both to the selection. */

import { closeHistory } from "@tiptap/pm/history";
import type { Node } from "@tiptap/pm/model";
import { type Command, type EditorState, TextSelection, type Transaction } from "@tiptap/pm/state";
import { ahead, behind, draggedTo, type Edge, fittedTo, lastEnd, nextStart, type Unit } from "@/marked-text/edge-steps";
import type { TextSpan } from "@/marked-text/markup";
import { textSpans } from "./bulk";
import { type Classification, ClassifyStep } from "./classify-step";
import { unions } from "./commands";
import { textRange } from "./insert";
import { freshSpan } from "./runs";
import { textMap } from "./text-map";

const EDGE = "sieveEdge";

/** The span whose edges a transaction moved, as positions. */
export function edgesMoved(tr: Transaction): TextSpan | null {
  return (tr.getMeta(EDGE) as TextSpan | undefined) ?? null;
}

/**
 * Moves the edge that is nearer to the cursor outwards, and takes the cursor along. With a selection it is the edge at
 * its moving end. A span that it reaches becomes one with it.
 */
export function growSpan(unit: Unit): Command {
  return (state, dispatch) => {
    const found = edgeHere(state);
    if (!found) return false;
    const { text, spans, span, edge } = found;
    const at = edge === "end" ? ahead(text, span.to, unit) : behind(text, span.from, unit);
    if (at === span[edge === "end" ? "to" : "from"]) return false;
    const range = { from: Math.min(at, span.from), to: Math.max(at, span.to) };
    const [union] = unions(spans, freshSpan(state.doc), [range]);
    if (!union) return false;
    dispatch?.(moved(state, [union], union, edge === "end" ? union.to : union.from, edge));
    return true;
  };
}

/** Moves the edge that is nearer to the cursor inwards; something is left of the span always. */
export function shrinkSpan(unit: Unit): Command {
  return (state, dispatch) => {
    const found = edgeHere(state);
    if (!found) return false;
    const { text, span, edge } = found;
    const at = edge === "end" ? lastEnd(text, span.to, unit) : nextStart(text, span.from, unit);
    if (at <= span.from || at >= span.to) return false;
    const off = edge === "end" ? { from: at, to: span.to, span: null } : { from: span.from, to: at, span: null };
    const left = edge === "end" ? { from: span.from, to: at } : { from: at, to: span.to };
    dispatch?.(moved(state, [off], left, at, edge));
    return true;
  };
}

/** Makes the one span that the selection reaches into begin and end where the selection does. */
export const fitSpan: Command = (state, dispatch) => {
  const { doc, selection } = state;
  if (selection.empty) return false;
  const map = textMap(doc);
  const { from, to } = textRange(doc, selection);
  const found = fittedTo(
    { from: map.offsetOf(from), to: map.offsetOf(to) },
    (range) => textSpans(doc).filter((span) => span.from < range.to && span.to > range.from),
    (at, step) => step(map.text, at),
  );
  if (!found) return false;
  dispatch?.(moved(state, fitted(found.span, found.wanted), found.wanted, null, "end"));
  return true;
};

/** Drags this edge of the span to a position, or as near to it as it may go, and takes the cursor along. */
export function moveEdge(id: number, edge: Edge, position: number): Command {
  return (state, dispatch) => {
    const found = withEdgeAt(state.doc, id, edge, position);
    if (!found) return false;
    const { span, wanted } = found;
    if (span.from === wanted.from && span.to === wanted.to) return false;
    const cursor = edge === "start" ? wanted.from : wanted.to;
    dispatch?.(moved(state, fitted(span, wanted), wanted, cursor, edge));
    return true;
  };
}

/** What the span would be after that, as positions; null if there is no such span. */
export function edgeMovedTo(doc: Node, id: number, edge: Edge, position: number): TextSpan | null {
  const found = withEdgeAt(doc, id, edge, position);
  if (!found) return null;
  const { text, wanted } = found;
  return { from: text.positionFrom(wanted.from), to: text.positionTo(wanted.to) };
}

function withEdgeAt(doc: Node, id: number, edge: Edge, position: number) {
  const text = textMap(doc);
  const spans = textSpans(doc);
  const index = spans.findIndex((span) => span.id === id);
  const span = spans[index];
  if (!span) return null;
  const within = { from: spans[index - 1]?.to ?? 0, to: spans[index + 1]?.from ?? text.text.length };
  const wanted = draggedTo(span, edge, text.offsetOf(position), within, (at, step) => step(text.text, at));
  return wanted && { text, span, wanted };
}

/** Makes the span be `wanted`, which overlaps it and no other. */
function fitted(span: TextSpan & { readonly id: number }, wanted: TextSpan): Classification[] {
  const ranges: Classification[] = [];
  if (span.from < wanted.from) ranges.push({ from: span.from, to: wanted.from, span: null });
  ranges.push({ ...wanted, span: span.id });
  if (span.to > wanted.to) ranges.push({ from: wanted.to, to: span.to, span: null });
  return ranges;
}

function edgeHere({ doc, selection }: EditorState) {
  if (!selection.$head.parent.inlineContent || !selection.$anchor.parent.inlineContent) return null;
  const map = textMap(doc);
  const head = map.offsetOf(selection.head);
  const spans = textSpans(doc);
  const before = spans.find(({ from, to }) => from < head && head <= to);
  const after = spans.find(({ from, to }) => from <= head && head < to);
  const backward = selection.head < selection.anchor;
  const span = backward ? (after ?? before) : (before ?? after);
  if (!span) return null;
  const nearStart = selection.empty ? head - span.from < span.to - head : backward;
  return { text: map.text, spans, span, edge: nearStart ? ("start" as const) : ("end" as const) };
}

/** Ranges and `span` in offsets of the text. `cursor`: where the edge is now; null: the selection stays. */
function moved(
  state: EditorState,
  ranges: readonly Classification[],
  span: TextSpan,
  cursor: number | null,
  edge: Edge,
): Transaction {
  const map = textMap(state.doc);
  const positions = ({ from, to }: TextSpan) => ({ from: map.positionFrom(from), to: map.positionTo(to) });
  const tr = state.tr.step(new ClassifyStep(ranges.map((range) => ({ ...positions(range), span: range.span }))));
  if (cursor !== null) {
    const at = edge === "end" ? map.positionTo(cursor) : map.positionFrom(cursor);
    tr.setSelection(TextSelection.create(tr.doc, at)).scrollIntoView();
  }
  return closeHistory(tr).setMeta(EDGE, positions(span));
}
