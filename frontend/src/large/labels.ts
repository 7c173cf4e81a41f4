/** Shows the label of each span where it begins, in the page only: nothing of it is in the document. */

import { RangeSet, RangeSetBuilder, StateEffect, StateField, type Text } from "@codemirror/state";
import { Decoration, EditorView } from "@codemirror/view";
import type { TextSpan } from "@/editor/markup";
import { ranges, spansField } from "./spans";

/** The label of each span in order; null where it has none of its own. */
export const showLabels = StateEffect.define<readonly (string | null)[]>();

/** Each stands at its span's first character, so that it goes where that goes. */
export const labelsField = StateField.define<RangeSet<Decoration>>({
  create: () => RangeSet.empty,
  update(before, tr) {
    let now = tr.docChanged ? before.map(tr.changes) : before;
    for (const effect of tr.effects) {
      if (!effect.is(showLabels)) continue;
      const builder = new RangeSetBuilder<Decoration>();
      let index = 0;
      for (const { from } of effect.value.some(Boolean) ? ranges(tr.state.field(spansField)) : []) {
        const label = effect.value[index++];
        if (label) builder.add(from, firstEnd(tr.newDoc, from), decorationOf(label));
      }
      now = builder.finish();
    }
    return now;
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** The label of a span; null if it has none of its own. */
export function labelOf(labels: RangeSet<Decoration>, { from, to }: TextSpan): string | null {
  const first = labels.iter(from);
  if (!first.value || first.from >= to || first.from < from) return null;
  return (first.value.spec as { label: string }).label;
}

function decorationOf(label: string): Decoration {
  return Decoration.mark({ class: "span-label", attributes: { "data-label": label }, label });
}

/** Where the character ends that begins there. */
function firstEnd(doc: Text, from: number): number {
  return from + (/^[\ud800-\udbff]/.test(doc.sliceString(from, from + 1, "\n")) ? 2 : 1);
}
