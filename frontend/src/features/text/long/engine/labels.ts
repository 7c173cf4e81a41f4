/** Shows the label of each span where it begins, in the page only: nothing of it is in the document. */

import { RangeSet, RangeSetBuilder, StateEffect, StateField, type Text } from "@codemirror/state";
import { Decoration, EditorView } from "@codemirror/view";
import type { TextSpan } from "@/marked-text/markup";
import { ranges, type Spans, spansField } from "./spans";

/** The label of each span in order; null where it has none of its own. `rank`: how high one is. */
export const showLabels = StateEffect.define<{
  readonly labels: readonly (string | null)[];
  readonly rank: (label: string | null) => number;
}>();

/** Each stands at its span's first character, so that it goes where that goes, and where the span's edge goes. */
export const labelsField = StateField.define<RangeSet<Decoration>>({
  create: () => RangeSet.empty,
  update(before, tr) {
    let now = tr.docChanged
      ? before.map(tr.changes)
      : taken(before, tr.startState.field(spansField), tr.state.field(spansField), tr.newDoc);
    for (const effect of tr.effects) {
      if (!effect.is(showLabels)) continue;
      const { labels, rank } = effect.value;
      const builder = new RangeSetBuilder<Decoration>();
      let index = 0;
      for (const { from } of labels.some(Boolean) ? ranges(tr.state.field(spansField)) : []) {
        const label = labels[index++];
        if (label) builder.add(from, firstEnd(tr.newDoc, from), decorationOf(label, rank(label)));
      }
      now = builder.finish();
    }
    return now;
  },
  provide: (field) => EditorView.decorations.from(field),
});

/**
 * The labels once the spans are others: each goes to the start of what its span became, in all its parts; where several
 * became one, the highest. One whose span is gone stays, for it may come back.
 */
function taken(labels: RangeSet<Decoration>, before: Spans, spans: Spans, doc: Text): RangeSet<Decoration> {
  if (labels.size === 0 || before === spans) return labels;
  const builder = new RangeSetBuilder<Decoration>();
  const all = held(labels, before);
  let next = all.next().value;
  let found = false;
  const pass = ({ at, shown }: Held) => {
    if (!found) builder.add(at, firstEnd(doc, at), shown);
    next = all.next().value;
    found = false;
  };
  for (const { from, to } of ranges(spans)) {
    while (next && next.to <= from) pass(next);
    let highest: Decoration | null = null;
    while (next && next.from < to) {
      highest = higher(highest, next.shown);
      found = true;
      // The rest of it may be in the next.
      if (next.to > to) break;
      pass(next);
    }
    if (highest) builder.add(from, firstEnd(doc, from), highest);
  }
  while (next) pass(next);
  return builder.finish();
}

/** A label where it is shown, `at`, and the span that it is of; outside of one, its own place. */
interface Held extends TextSpan {
  readonly at: number;
  readonly shown: Decoration;
}

function* held(labels: RangeSet<Decoration>, spans: Spans): Generator<Held, undefined> {
  const all = ranges(spans);
  let span = all.next().value;
  for (const cursor = labels.iter(); cursor.value; ) {
    const { from: at, to } = cursor;
    while (span && span.to <= at) span = all.next().value;
    const of: TextSpan = span && span.from <= at ? span : { from: at, to };
    let shown: Decoration = cursor.value;
    for (cursor.next(); cursor.value && cursor.from < of.to; cursor.next()) shown = higher(shown, cursor.value);
    yield { ...of, at, shown };
  }
}

function higher(one: Decoration | null, other: Decoration): Decoration {
  return one && (one.spec as Shown).rank >= (other.spec as Shown).rank ? one : other;
}

/** The label of a span, the highest if it was made of several; null if it has none of its own. */
export function labelOf(labels: RangeSet<Decoration>, { from, to }: TextSpan): string | null {
  let highest: Decoration | null = null;
  for (const cursor = labels.iter(from); cursor.value && cursor.from < to; cursor.next()) {
    // The one before may end where this span begins.
    if (cursor.from >= from) highest = higher(highest, cursor.value);
  }
  return highest && (highest.spec as Shown).label;
}

interface Shown {
  readonly label: string;
  readonly rank: number;
}

function decorationOf(label: string, rank: number): Decoration {
  const shown: Shown = { label, rank };
  return Decoration.mark({ class: "span-label", attributes: { "data-label": label }, ...shown });
}

/** Where the character ends that begins there. */
function firstEnd(doc: Text, from: number): number {
  return from + (/^[\ud800-\udbff]/.test(doc.sliceString(from, from + 1, "\n")) ? 2 : 1);
}
