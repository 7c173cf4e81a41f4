/**
 * The classified spans of a long text, kept beside it: they move with every change, and undo and redo restore them.
 *
 * The law is the editor's (`editor/law.ts`): what is classified stays so until somebody unmarks it, new text takes the
 * span of the character before it, and a span whose text is deleted is gone. New text in place of a selection that began
 * at a span's start is classified. Only the fourth rule, the cursor that remembers where it came from, is not kept here.
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
import { Decoration } from "@codemirror/view";
import { type MarkedDocument, parse, type Segment, type TextSpan } from "@/marked-text/markup";
import { sameEnds } from "@/marked-text/same-ends";

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
    let spans = tr.docChanged ? moved(before, tr.changes) : before;
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

/** The spans after changes; one that ends where text is replaced goes on in the new text. */
function moved(before: Spans, changes: ChangeSet): Spans {
  const longer: TextSpan[] = [];
  changes.iterChanges((from, to, newFrom, newTo) => {
    // From the span's last character on, so that the two are one.
    if (to > from && newTo > newFrom && spanBefore(before, from)) longer.push({ from: newFrom - 1, to: newTo });
  });
  const spans = before.map(changes);
  return longer.length ? united(spans, longer) : spans;
}

/** All that `spansField` needs beside it. */
export function keepingSpans(): Extension {
  return [
    spansField,
    invertedEffects.of((tr) => {
      const changes = tr.state.field(spansField) !== tr.startState.field(spansField);
      return changes ? [restore.of(tr.startState.field(spansField))] : [];
    }),
  ];
}

/** The state of this document. It serialises to the very same marked text. */
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

/** Puts this marked text in place of all there is. What is the same at both ends stays, and the cursor there. */
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

/** What stands from `start` to `end`. */
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

/** Whether the character before `pos` is classified. */
function spanBefore(spans: Spans, pos: number): boolean {
  for (const { from } of ranges(spans, pos)) return from < pos;
  return false;
}

/** Classifies these ranges, widened to whole characters. */
export function mark(state: EditorState, ranges: readonly TextSpan[]): TransactionSpec {
  return {
    effects: marking(ranges.map((range) => outwards(state.doc, range))),
    annotations: isolateHistory.of("full"),
  };
}

/** Unmarks these ranges, whole characters of them. What is left of a span on both sides is two. */
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

/** Whether `pos` stands between the two halves of a surrogate pair. */
function cutsPair(doc: Text, pos: number): boolean {
  if (pos <= 0 || pos >= doc.length) return false;
  const two = doc.sliceString(pos - 1, pos + 1, "\n");
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(two);
}
