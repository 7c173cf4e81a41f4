/** Shows the label of each span at its start, in the page only: the document does not contain it. */

import type { Node } from "@tiptap/pm/model";
import { type EditorState, Plugin, PluginKey, type Transaction } from "@tiptap/pm/state";
import { Decoration, DecorationSet } from "@tiptap/pm/view";
import { spans } from "./queries";

/** By the span's id. */
export type SpanLabels = ReadonlyMap<number, string>;

interface Shown {
  readonly labels: SpanLabels;
  readonly decorations: DecorationSet;
}

const key = new PluginKey<Shown>("spanLabels");

export function spanLabels(): Plugin<Shown> {
  return new Plugin<Shown>({
    key,
    state: {
      init: () => ({ labels: new Map(), decorations: DecorationSet.empty }),
      apply: (tr, before) => {
        const changed = tr.getMeta(key) as SpanLabels | undefined;
        const labels = changed ?? before.labels;
        if (changed) return { labels, decorations: decorationsOf(tr.doc, labels) };
        if (!tr.docChanged) return before;
        let lost = false;
        const onRemove = () => {
          lost = true;
        };
        const decorations = before.decorations.map(tr.mapping, tr.doc, { onRemove });
        // The character that a label was at is deleted, but its span may still be there.
        return { labels, decorations: lost ? decorationsOf(tr.doc, labels) : decorations };
      },
    },
    props: {
      decorations: (state) => key.getState(state)?.decorations,
    },
  });
}

/** Shows these labels instead of those before. */
export function labelSpans({ tr }: EditorState, labels: SpanLabels): Transaction {
  return tr.setMeta(key, labels).setMeta("addToHistory", false);
}

/** Each label is at the first character of its span, and moves with it. */
function decorationsOf(doc: Node, labels: SpanLabels): DecorationSet {
  if (labels.size === 0) return DecorationSet.empty;
  const found: Decoration[] = [];
  for (const { id, from } of spans(doc)) {
    const label = labels.get(id);
    if (label !== undefined)
      found.push(Decoration.inline(from, from + 1, { class: "span-label", "data-label": label }));
  }
  return DecorationSet.create(doc, found);
}
