/** Shows places of the text as found, in the page only: nothing of it is in the document. */

import { type EditorState, Plugin, PluginKey, type Transaction } from "@tiptap/pm/state";
import { Decoration, DecorationSet } from "@tiptap/pm/view";
import { CLASS } from "@/marked-text/class-names";
import type { Range } from "./commands";

const key = new PluginKey<DecorationSet>("found");

export function highlights(): Plugin<DecorationSet> {
  return new Plugin<DecorationSet>({
    key,
    state: {
      init: () => DecorationSet.empty,
      apply: (tr, before) =>
        (tr.getMeta(key) as DecorationSet | undefined) ?? (tr.docChanged ? before.map(tr.mapping, tr.doc) : before),
    },
    props: {
      decorations: (state) => key.getState(state),
    },
  });
}

/** Shows these ranges instead of those before. `current` is the one that is looked at. */
export function highlight({ tr }: EditorState, ranges: readonly Range[], current: Range | null): Transaction {
  const shown = ranges.map(({ from, to }) => Decoration.inline(from, to, { class: CLASS.found }));
  if (current) shown.push(Decoration.inline(current.from, current.to, { class: CLASS.found, "data-current": "" }));
  return tr.setMeta(key, DecorationSet.create(tr.doc, shown)).setMeta("addToHistory", false);
}
