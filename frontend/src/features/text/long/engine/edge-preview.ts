/**
 * Shows what a span would gain and lose while its edge is dragged, in the page only, as `tiptap/engine/edge-preview.ts`
 * does.
 */

import { StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView } from "@codemirror/view";
import { CLASS } from "@/marked-text/class-names";
import { differences } from "@/marked-text/edge-steps";
import type { TextSpan } from "@/marked-text/markup";
import { spansField } from "./spans";

/** Shows `span` as if it were `wanted`, which overlaps it; null: as it is. */
export const previewEdges = StateEffect.define<{ readonly span: TextSpan; readonly wanted: TextSpan } | null>();

const GAINED = Decoration.mark({ class: CLASS.gained });
const LOST = Decoration.mark({ class: CLASS.lost });

export const edgePreview = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(before, tr) {
    // Of a text that is another by now it says nothing.
    let now =
      tr.docChanged || tr.state.field(spansField) !== tr.startState.field(spansField) ? Decoration.none : before;
    for (const effect of tr.effects) {
      if (!effect.is(previewEdges)) continue;
      const { value } = effect;
      const shown = value ? differences(value.span, value.wanted) : [];
      now = Decoration.set(shown.map(({ from, to, gained }) => (gained ? GAINED : LOST).range(from, to)));
    }
    return now;
  },
  provide: (field) => EditorView.decorations.from(field),
});
