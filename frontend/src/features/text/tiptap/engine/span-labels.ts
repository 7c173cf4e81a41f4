/** Shows the label of each span where it begins, in the page only: nothing of it is in the document. */

import type { Node } from "@tiptap/pm/model";
import { type EditorState, Plugin, PluginKey, type Transaction } from "@tiptap/pm/state";
import { Decoration, DecorationSet } from "@tiptap/pm/view";
import { spans } from "./queries";

/** By the span's id. */
export type SpanLabels = ReadonlyMap<number, string>;

const key = new PluginKey<DecorationSet>("spanLabels");

export function spanLabels(): Plugin<DecorationSet> {
  return new Plugin<DecorationSet>({
    key,
    state: {
      init: () => DecorationSet.empty,
      apply: (tr, before) => {
        const labels = tr.getMeta(key) as SpanLabels | undefined;
        if (labels) return shown(tr.doc, labels);
        return tr.docChanged ? before.map(tr.mapping, tr.doc) : before;
      },
    },
    props: {
      decorations: (state) => key.getState(state),
    },
  });
}

/** Shows these labels instead of those before. */
export function labelSpans({ tr }: EditorState, labels: SpanLabels): Transaction {
  return tr.setMeta(key, labels).setMeta("addToHistory", false);
}

/** The label stands at the first character, so that it goes where that goes. */
function shown(doc: Node, labels: SpanLabels): DecorationSet {
  if (labels.size === 0) return DecorationSet.empty;
  const found: Decoration[] = [];
  for (const { id, from } of spans(doc)) {
    const label = labels.get(id);
    if (label !== undefined)
      found.push(Decoration.inline(from, from + 1, { class: "span-label", "data-label": label }));
  }
  return DecorationSet.create(doc, found);
}
