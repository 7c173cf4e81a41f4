/** Shows the label of each span where it begins, in the page only: nothing of it is in the document. */

import { RangeSet, RangeSetBuilder, StateEffect, StateField, type Text } from "@codemirror/state";
import { Decoration, EditorView } from "@codemirror/view";
import type { TextSpan } from "@/editor/markup";
import { ranges, spansField } from "./spans";

/** The label of each span in order; null where it has none of its own. `rank`: how high one is. */
export const showLabels = StateEffect.define<{
  readonly labels: readonly (string | null)[];
  readonly rank: (label: string | null) => number;
}>();

/** Each stands at its span's first character, so that it goes where that goes. */
export const labelsField = StateField.define<RangeSet<Decoration>>({
  create: () => RangeSet.empty,
  update(before, tr) {
    let now = tr.docChanged ? before.map(tr.changes) : before;
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

/** The label of a span, the highest if it was made of several; null if it has none of its own. */
export function labelOf(labels: RangeSet<Decoration>, { from, to }: TextSpan): string | null {
  let highest: Shown | null = null;
  for (const cursor = labels.iter(from); cursor.value && cursor.from < to; cursor.next()) {
    const shown = cursor.value.spec as Shown;
    // The one before may end where this span begins.
    if (cursor.from >= from && (highest === null || shown.rank > highest.rank)) highest = shown;
  }
  return highest?.label ?? null;
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
