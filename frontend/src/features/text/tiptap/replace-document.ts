/** Another document in an open editor. */
import type { Editor } from "@tiptap/core";
import { EditorState, TextSelection } from "@tiptap/pm/state";
import { sameEnds } from "@/marked-text/same-ends";
import { load } from "./engine/load";
import { offsetAt, positionAt, wholeText } from "./engine/place";

/**
 * Replaces the editor's document by `marked`. The cursor stays at its text, and the history is forgotten. It is not an
 * edit: the rules for editing do not apply to what somebody else wrote.
 *
 * @throws MarkupError, LoadError if the editor cannot hold it; it is unchanged then.
 */
export function replaceDocument(editor: Editor, marked: string): void {
  const before = editor.state;
  const doc = load(marked, editor.schema);
  const { move } = sameEnds(wholeText(before.doc), wholeText(doc));
  const at = (pos: number) => positionAt(doc, move(offsetAt(before.doc, pos)));
  const { anchor, head } = before.selection;
  editor.view.updateState(
    EditorState.create({ doc, selection: TextSelection.create(doc, at(anchor), at(head)), plugins: before.plugins }),
  );
  // Listeners are notified as of any change. It has no steps, so that none takes it for an edit.
  editor.emit("transaction", { editor, transaction: editor.state.tr, appendedTransactions: [] });
}
