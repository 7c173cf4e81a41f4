/** Shows the label of each span at its start, in the page only: the document does not contain it. */

import { type ChangeDesc, RangeSet, RangeSetBuilder, StateEffect, StateField, type Text } from "@codemirror/state";
import { Decoration, EditorView } from "@codemirror/view";
import type { TextSpan } from "@/marked-text/markup";
import { ranges, type Spans, spansField } from "./spans";

/** The label of each span in order; null if it has the default. `rank`: how high a label is. */
export const showLabels = StateEffect.define<{
  readonly labels: readonly (string | null)[];
  readonly rank: (label: string | null) => number;
}>();

/** Each label is at the first character of its span, and moves with it and with the edge of the span. */
export const labelsField = StateField.define<RangeSet<Decoration>>({
  create: () => RangeSet.empty,
  update(before, tr) {
    let now = before.map(tr.changes);
    // A label whose character is deleted goes to the start of its span, and so does one whose span has another start.
    if (!tr.docChanged || now.size < before.size)
      now = taken(before, tr.startState.field(spansField), tr.changes, tr.state.field(spansField), tr.newDoc);
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
 * Moves each label to the start of what its span has become, in all its parts; if several spans became one, it has the
 * highest label. The label of a span that is unmarked stays, because the span may come back; that of deleted text does not.
 */
function taken(
  labels: RangeSet<Decoration>,
  before: Spans,
  changes: ChangeDesc,
  spans: Spans,
  doc: Text,
): RangeSet<Decoration> {
  if (labels.size === 0 || before === spans) return labels.map(changes);
  const builder = new RangeSetBuilder<Decoration>();
  const all = held(labels, before, changes);
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

/** A label that is shown at `at`, and its span; outside of any span, the label's own place. */
interface Held extends TextSpan {
  readonly at: number;
  readonly shown: Decoration;
}

/** The labels after `changes`, without those of deleted text. */
function* held(labels: RangeSet<Decoration>, spans: Spans, changes: ChangeDesc): Generator<Held, undefined> {
  const all = ranges(spans);
  let span = all.next().value;
  for (const cursor = labels.iter(); cursor.value; ) {
    const { from: at, to } = cursor;
    while (span && span.to <= at) span = all.next().value;
    const of: TextSpan = span && span.from <= at ? span : { from: at, to };
    let shown: Decoration = cursor.value;
    for (cursor.next(); cursor.value && cursor.from < of.to; cursor.next()) shown = higher(shown, cursor.value);
    const [from, end] = [changes.mapPos(of.from, 1), changes.mapPos(of.to, -1)];
    if (from < end) yield { from, to: end, at: changes.mapPos(at, 1), shown };
  }
}

function higher(one: Decoration | null, other: Decoration): Decoration {
  return one && (one.spec as Shown).rank >= (other.spec as Shown).rank ? one : other;
}

/** The label of a span, the highest if it was made of several; null for the default. */
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

/** The end of the character that starts at `from`. */
function firstEnd(doc: Text, from: number): number {
  return from + (/^[\ud800-\udbff]/.test(doc.sliceString(from, from + 1, "\n")) ? 2 : 1);
}
