/** Text from the keyboard and from input methods, by the rules of `marked-text/typing-rules.ts`. */

import { type EditorState, Plugin, type Transaction } from "@tiptap/pm/state";
import type { EditorView } from "@tiptap/pm/view";
import { ClassifyStep } from "./classify-step";
import { typingSpan } from "./cursor-memory";
import { inLine } from "./insert";
import { piecesBetween } from "./runs";
import { marksFor, spanOf } from "./schema/schema";
import { syncSelection } from "./sync-selection";
import { typeText } from "./text-commands";

export function typing(): Plugin {
  return new Plugin({
    props: {
      handleTextInput(view, from, to, text, usual) {
        const { state } = view;
        const start = inLine(state.doc, from, 1);
        const end = Math.max(start, inLine(state.doc, to, -1));
        view.dispatch(
          view.composing ? composeText(state, start, end, text, usual()) : typeText(state, start, end, text),
        );
        return true;
      },
      handleDOMEvents: {
        keydown(view) {
          syncSelection(view);
          return false;
        },
        compositionstart(view) {
          syncSelection(view);
          composeInSpan(view);
          return false;
        },
      },
    },
  });
}

/** ProseMirror's own transaction for composed text, with the text in the right span. */
export function composeText(state: EditorState, from: number, to: number, text: string, tr: Transaction): Transaction {
  const inserted = { from, to: from + text.length, span: typingSpan(state, from, to) };
  const isRight = piecesBetween(tr.doc, inserted.from, inserted.to).every(({ span }) => span === inserted.span);
  return isRight ? tr : tr.step(new ClassifyStep([inserted]));
}

/**
 * An input method writes into the page itself, so the cursor must be in the right element before it begins. With
 * marks set, ProseMirror sees to that.
 */
function composeInSpan(view: EditorView): void {
  const { state } = view;
  if (!view.composing && state.selection.empty && differsFromPage(state)) {
    const { head } = state.selection;
    view.dispatch(state.tr.setStoredMarks(marksFor(state.schema, typingSpan(state, head, head))));
  }
}

/** Whether text typed now needs other marks than the text at the cursor has in the page. */
function differsFromPage(state: EditorState): boolean {
  const { $head } = state.selection;
  if (!$head.parent.inlineContent) return false;
  const beside = $head.nodeBefore ?? $head.nodeAfter;
  return typingSpan(state, $head.pos, $head.pos) !== (beside ? spanOf(beside) : null);
}
