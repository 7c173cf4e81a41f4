/**
 * The classified spans of a long text, kept beside it: they move with every change, and undo and redo restore them.
 * What new text belongs to is decided by the rules of `marked-text/typing-rules.ts`.
 */

import { invertedEffects, isolateHistory } from "@codemirror/commands";
import {
  type ChangeSet,
  EditorSelection,
  EditorState,
  type Extension,
  RangeSet,
  RangeSetBuilder,
  StateEffect,
  StateField,
  type Text,
  Transaction,
  type TransactionSpec,
} from "@codemirror/state";
import { Decoration, EditorView } from "@codemirror/view";
import { type MarkedDocument, parse, type Segment, type TextSpan } from "@/marked-text/markup";
import { sameEnds } from "@/marked-text/same-ends";
import { type ClassifiedText, rememberedSpan, spanOfNewText } from "@/marked-text/typing-rules";

export type Spans = RangeSet<Decoration>;

/**
 * A span. It begins after what is inserted at its start and ends after what is inserted at its end. Where it is empty it
 * is gone.
 */
const SPAN = Decoration.mark({ tagName: "mark", class: "classified", inclusiveEnd: true });

const restore = StateEffect.define<Spans>({ map: (spans, changes) => spans.map(changes) });

/** Classifies, or no longer classifies, stretches of the text as it is after the transaction's changes. */
export const classify = StateEffect.define<{ ranges: readonly TextSpan[]; classified: boolean }>();

export const spansField = StateField.define<Spans>({
  create: () => RangeSet.empty,
  update(before, tr) {
    let spans = tr.docChanged ? afterChanges(before, tr) : before;
    for (const effect of tr.effects) {
      if (effect.is(restore)) spans = effect.value;
      else if (effect.is(classify)) {
        const { ranges, classified } = effect.value;
        spans = classified ? united(spans, ranges) : cut(spans, ranges);
      }
    }
    return spans;
  },
});

/**
 * The spans after a transaction's changes. CodeMirror moves them; it takes text at a span's end and text that replaces
 * its first characters for the span's, and what the rules say otherwise is corrected.
 */
function afterChanges(before: Spans, { changes, startState }: Transaction): Spans {
  const classified: TextSpan[] = [];
  const plain: TextSpan[] = [];
  const text = classifiedText(before);
  changes.iterChanges((from, to, newFrom, newTo) => {
    if (newTo === newFrom) return;
    const span = spanOfNewText(text, from, to, rememberedAt(startState, from));
    if (span === null) {
      if (to > from) plain.push({ from: newFrom, to: newTo });
    } else if (span.from < from) {
      // From the last character of the span on, so that the two become one.
      if (to > from) classified.push({ from: newFrom - 1, to: newTo });
    } else if (to === from) {
      // The cursor remembers this span: to its first character, if any of it is left.
      classified.push({ from: newFrom, to: span.to > from ? newTo + 1 : newTo });
    }
  });
  let spans = before.map(changes);
  if (classified.length) spans = united(spans, classified);
  const wrong = plain.filter(({ from, to }) => reaches(spans, from, to));
  return wrong.length ? cut(spans, wrong) : spans;
}

function classifiedText(spans: Spans): ClassifiedText<TextSpan> {
  return {
    spanBefore: (pos) => spanBefore(spans, pos),
    firstSpanIfAllClassified: (from, to) => (isClassified(spans, from, to) ? spanOf(spans, from) : null),
  };
}

/** The span that the cursor remembers. If it is deleted, it is an empty range where it was. */
const rememberedField = StateField.define<TextSpan | null>({
  create: () => null,
  update(kept, tr) {
    const [before, after] = [tr.startState.field(spansField), tr.state.field(spansField)];
    const [old, { main }] = [tr.startState.selection.main, tr.newSelection];
    const isChanged = tr.docChanged || before !== after;
    return rememberedSpan(
      {
        before: classifiedText(before),
        after: classifiedText(after),
        selectionEnd: old.to,
        cursor: main.empty ? main.head : null,
        forgets: ["undo", "redo", "select.pointer"].some((event) => tr.isUserEvent(event)),
        isNothing: !isChanged && old.empty && old.head === main.head,
        deleted: isChanged ? () => deletedSpan(before, tr.changes, main.head) : null,
      },
      kept,
    );
  },
});

/** The first span of the text that was deleted at the cursor, as it is now, if all of that text was classified. */
function deletedSpan(before: Spans, changes: ChangeSet, cursor: number): TextSpan | null {
  let deleted: TextSpan | null = null;
  changes.iterChanges((from, to, newFrom, newTo) => {
    if (newTo > newFrom || newFrom !== cursor) return;
    const span = classifiedText(before).firstSpanIfAllClassified(from, to);
    deleted = span && { from: cursor, to: changes.mapPos(span.to, 1) };
  });
  return deleted;
}

function rememberedAt(state: EditorState, pos: number): TextSpan | null {
  const { main } = state.selection;
  return main.empty && main.head === pos ? state.field(rememberedField) : null;
}

/** Whether text that replaces this range now would be classified. */
export function typesClassified(state: EditorState, { from, to }: TextSpan = state.selection.main): boolean {
  return spanOfNewText(classifiedText(state.field(spansField)), from, to, rememberedAt(state, from)) !== null;
}

/** A click where the cursor is already moves nothing, but it makes the cursor forget. */
const forgetting = EditorView.domEventHandlers({
  click(_event, view) {
    const { selection } = view.state;
    if (selection.main.empty && view.state.field(rememberedField))
      view.dispatch({ selection, userEvent: "select.pointer" });
    return false;
  },
});

/** All that `spansField` needs beside it. */
export function keepingSpans(): Extension {
  return [
    spansField,
    rememberedField,
    forgetting,
    invertedEffects.of((tr) => {
      const changes = tr.state.field(spansField) !== tr.startState.field(spansField);
      return changes ? [restore.of(tr.startState.field(spansField))] : [];
    }),
  ];
}

/** The state of this document. It serialises to exactly the same marked text. */
export function stateOf(marked: MarkedDocument, extensions: Extension): EditorState {
  const spans = setOf(marked.spans);
  return EditorState.create({
    doc: marked.text,
    extensions: [
      // A carriage return is a character like any other: nothing is normalised.
      EditorState.lineSeparator.of("\n"),
      keepingSpans(),
      spansField.init(() => spans),
      extensions,
    ],
  });
}

/** Puts this document into an empty state, for good: undoing does not take it out. */
export function filledWith(state: EditorState, { text, spans }: MarkedDocument): TransactionSpec {
  return {
    changes: { from: 0, insert: state.toText(text) },
    effects: restore.of(setOf(spans)),
    annotations: Transaction.addToHistory.of(false),
  };
}

function setOf(spans: readonly TextSpan[]): Spans {
  const builder = new RangeSetBuilder<Decoration>();
  for (const { from, to } of spans) builder.add(from, to, SPAN);
  return builder.finish();
}

/** Replaces the whole text. Text that is the same at both ends stays, and the cursor in it. */
export function replaceAll(state: EditorState, marked: string): TransactionSpec {
  const { text, spans } = parse(marked);
  const { head, tail, move } = sameEnds(state.sliceDoc(), text);
  const { anchor, head: moving } = state.selection.main;
  return {
    changes: {
      from: head,
      to: state.doc.length - tail,
      insert: state.toText(text.slice(head, text.length - tail)),
    },
    selection: EditorSelection.single(move(anchor), move(moving)),
    effects: [classify.of({ ranges: [{ from: 0, to: text.length }], classified: false }), marking(spans)],
    annotations: isolateHistory.of("full"),
  };
}

/** The text from `start` to `end`. */
export function* segmentsOf(state: EditorState, start: number, end: number): Iterable<Segment> {
  const { doc } = state;
  let at = start;
  for (const { from, to } of ranges(state.field(spansField), start)) {
    if (from >= end) break;
    if (to <= start) continue;
    if (from > at) yield { text: doc.sliceString(at, from, "\n"), classified: false };
    yield { text: doc.sliceString(Math.max(from, start), Math.min(to, end), "\n"), classified: true };
    at = Math.min(to, end);
  }
  if (at < end) yield { text: doc.sliceString(at, end, "\n"), classified: false };
}

/** The spans in order, from the one that ends at `from` or after it. */
export function* ranges(spans: Spans, from = 0): Generator<TextSpan, undefined> {
  for (const cursor = spans.iter(from); cursor.value; cursor.next()) yield { from: cursor.from, to: cursor.to };
}

/** Whether every character from `from` to `to` is classified; of none, it is not. */
export function isClassified(spans: Spans, from: number, to: number): boolean {
  let at = from;
  for (const span of ranges(spans, from)) {
    if (span.from > at || at >= to) break;
    at = Math.max(at, span.to);
  }
  return to > from && at >= to;
}

/** The spans that a range reaches into, `most` of them at most. */
export function spansIn(state: EditorState, { from, to }: TextSpan, most: number): TextSpan[] {
  const found: TextSpan[] = [];
  for (const span of ranges(state.field(spansField), from)) {
    if (span.from >= to || found.length >= most) break;
    if (span.to > from) found.push(span);
  }
  return found;
}

/** The span that the character before or after `pos` belongs to. */
export function spanAt(spans: Spans, pos: number): TextSpan | null {
  for (const span of ranges(spans, pos)) return span.from <= pos ? span : null;
  return null;
}

/** The first span that begins at `pos` or after it. */
export function spanFrom(spans: Spans, pos: number): TextSpan | null {
  for (const span of ranges(spans, pos)) if (span.from >= pos) return span;
  return null;
}

/** The last span that begins before `pos`. */
export function lastBefore(spans: Spans, pos: number): TextSpan | null {
  let last: TextSpan | null = null;
  // Sought in ever larger steps backwards: a million spans are not all to be passed for the one before.
  for (let reach = 10_000; last === null; reach *= 10) {
    const start = Math.max(0, pos - reach);
    for (const span of ranges(spans, start)) {
      if (span.from >= pos) break;
      last = span;
    }
    if (start === 0) break;
  }
  return last;
}

/** The span of the character after `pos`, or the next one. */
function spanOf(spans: Spans, pos: number): TextSpan | null {
  for (const span of ranges(spans, pos)) if (span.to > pos) return span;
  return null;
}

/** The span of the character before `pos`. */
function spanBefore(spans: Spans, pos: number): TextSpan | null {
  for (const span of ranges(spans, pos)) return span.from < pos ? span : null;
  return null;
}

/** Whether a span has a character between `from` and `to`. */
function reaches(spans: Spans, from: number, to: number): boolean {
  for (const span of ranges(spans, from)) if (span.to > from) return span.from < to;
  return false;
}

/** Classifies these ranges, widened to whole characters. */
export function mark(state: EditorState, ranges: readonly TextSpan[]): TransactionSpec {
  return {
    effects: marking(ranges.map((range) => outwards(state.doc, range))),
    annotations: isolateHistory.of("full"),
  };
}

/** Unmarks the whole characters in these ranges. If parts of a span are left on both sides, they are two spans. */
export function unmark(state: EditorState, ranges: readonly TextSpan[]): TransactionSpec {
  const effect = classify.of({ ranges: sorted(ranges.map((range) => inwards(state.doc, range))), classified: false });
  return { effects: effect, annotations: isolateHistory.of("full") };
}

/** For a transaction that brings classified text in. */
export function marking(ranges: readonly TextSpan[]): StateEffect<unknown> {
  return classify.of({ ranges: sorted(ranges), classified: true });
}

function sorted(ranges: readonly TextSpan[]): TextSpan[] {
  return ranges.filter(({ from, to }) => to > from).sort((one, other) => one.from - other.from);
}

/** The spans with these ranges; what overlaps becomes one, what touches stays two. */
function united(spans: Spans, added: readonly TextSpan[]): Spans {
  const builder = new RangeSetBuilder<Decoration>();
  let open: { from: number; to: number } | null = null;
  for (const { from, to } of merged(ranges(spans), added)) {
    if (open && from < open.to) open.to = Math.max(open.to, to);
    else {
      if (open) builder.add(open.from, open.to, SPAN);
      open = { from, to };
    }
  }
  if (open) builder.add(open.from, open.to, SPAN);
  return builder.finish();
}

function* merged(one: Iterable<TextSpan>, other: readonly TextSpan[]): Iterable<TextSpan> {
  let index = 0;
  for (const range of one) {
    for (let next = other[index]; next && next.from < range.from; next = other[++index]) yield next;
    yield range;
  }
  yield* other.slice(index);
}

/** The spans without these ranges, which are sorted. */
function cut(spans: Spans, removed: readonly TextSpan[]): Spans {
  const builder = new RangeSetBuilder<Decoration>();
  let index = 0;
  for (const { from, to } of ranges(spans)) {
    while ((removed[index]?.to ?? Number.POSITIVE_INFINITY) <= from) index++;
    let at = from;
    for (let next = index; at < to; next++) {
      const gap = removed[next];
      const end = gap && gap.from < to ? gap.from : to;
      if (end > at) builder.add(at, end, SPAN);
      if (!gap || gap.from >= to) break;
      at = Math.max(at, gap.to);
    }
  }
  return builder.finish();
}

function outwards(doc: Text, { from, to }: TextSpan): TextSpan {
  return { from: cutsPair(doc, from) ? from - 1 : from, to: cutsPair(doc, to) ? to + 1 : to };
}

function inwards(doc: Text, { from, to }: TextSpan): TextSpan {
  return { from: cutsPair(doc, from) ? from + 1 : from, to: cutsPair(doc, to) ? to - 1 : to };
}

/** Whether `pos` is between the two halves of a surrogate pair. */
function cutsPair(doc: Text, pos: number): boolean {
  if (pos <= 0 || pos >= doc.length) return false;
  const two = doc.sliceString(pos - 1, pos + 1, "\n");
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(two);
}
