/** Text from the keyboard and from input methods, by the law of `law.ts`. */

import { type EditorState, Plugin } from "@tiptap/pm/state";
import type { EditorView } from "@tiptap/pm/view";
import { catchUp } from "./catch-up";
import { ClassifyStep } from "./classify-step";
import { inLine } from "./insert";
import { typingSpan } from "./law";
import { piecesBetween } from "./runs";
import { marksFor, spanOf } from "./schema/schema";
import { typeText } from "./text-commands";

export function typing(): Plugin {
  return new Plugin({
    props: {
      handleTextInput(view, from, to, text, usual) {
        const { state } = view;
        const start = inLine(state.doc, from, 1);
        const end = Math.max(start, inLine(state.doc, to, -1));
        if (!view.composing) {
          view.dispatch(typeText(state, start, end, text));
          return true;
        }
        // ProseMirror's own transaction knows of the composition; only what it took for the span may be wrong.
        const span = typingSpan(state, start, end);
        const tr = usual();
        const inserted = { from: start, to: start + text.length, span };
        if (piecesBetween(tr.doc, inserted.from, inserted.to).some((piece) => piece.span !== span)) {
          tr.step(new ClassifyStep([inserted]));
        }
        view.dispatch(tr);
        return true;
      },
      handleDOMEvents: {
        keydown(view) {
          catchUp(view);
          return false;
        },
        compositionstart(view) {
          catchUp(view);
          composeInSpan(view);
          return false;
        },
      },
    },
  });
}

/**
 * An input method writes into the page itself, so the cursor must stand in the right element before it begins. With
 * marks set, ProseMirror sees to that.
 */
function composeInSpan(view: EditorView): void {
  const { state } = view;
  if (!view.composing && state.selection.empty && differsFromPage(state)) {
    const { head } = state.selection;
    view.dispatch(state.tr.setStoredMarks(marksFor(state.schema, typingSpan(state, head, head))));
  }
}

/** Whether text typed now would not get the marks of the text that the cursor stands in, in the page. */
function differsFromPage(state: EditorState): boolean {
  const { $head } = state.selection;
  if (!$head.parent.inlineContent) return false;
  const beside = $head.nodeBefore ?? $head.nodeAfter;
  return typingSpan(state, $head.pos, $head.pos) !== (beside ? spanOf(beside) : null);
}
