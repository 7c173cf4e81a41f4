/** Shows what a span would gain and lose while its edge is dragged, in the page only: nothing of it is in the document. */

import { type EditorState, Plugin, PluginKey, type Transaction } from "@tiptap/pm/state";
import { Decoration, DecorationSet } from "@tiptap/pm/view";
import { CLASS } from "./class-names";
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
  const shown: Decoration[] = [];
  const show = (from: number, to: number, name: string) => {
    if (from < to) shown.push(Decoration.inline(from, to, { class: name }));
  };
  if (wanted) {
    show(wanted.from, span.from, CLASS.gained);
    show(span.from, wanted.from, CLASS.lost);
    show(wanted.to, span.to, CLASS.lost);
    show(span.to, wanted.to, CLASS.gained);
  }
  return tr.setMeta(key, DecorationSet.create(tr.doc, shown)).setMeta("addToHistory", false);
}
