/** Shows what a span would gain and lose while its edge is dragged, in the page only: nothing of it is in the document. */

import { type EditorState, Plugin, PluginKey, type Transaction } from "@tiptap/pm/state";
import { Decoration, DecorationSet } from "@tiptap/pm/view";
import { CLASS } from "@/marked-text/class-names";
import { differences } from "@/marked-text/edge-steps";
import type { Range } from "./commands";

const key = new PluginKey<DecorationSet>("edgePreview");

export function edgePreview(): Plugin<DecorationSet> {
  return new Plugin<DecorationSet>({
    key,
    state: {
      init: () => DecorationSet.empty,
      // Of a text that is another by now it says nothing.
      apply: (tr, before) =>
        (tr.getMeta(key) as DecorationSet | undefined) ?? (tr.docChanged ? DecorationSet.empty : before),
    },
    props: {
      decorations: (state) => key.getState(state),
    },
  });
}

/** Shows `span` as if it were `wanted`, which overlaps it; null: as it is. */
export function previewEdges({ tr }: EditorState, span: Range, wanted: Range | null): Transaction {
  const shown = (wanted ? differences(span, wanted) : []).map(({ from, to, gained }) =>
    Decoration.inline(from, to, { class: gained ? CLASS.gained : CLASS.lost }),
  );
  return tr.setMeta(key, DecorationSet.create(tr.doc, shown)).setMeta("addToHistory", false);
}
