/** Another document in an open editor. */
import type { Editor } from "@tiptap/core";
import { EditorState, TextSelection } from "@tiptap/pm/state";
import { sameEnds } from "@/marked-text/same-ends";
import { load } from "./engine/load";
import { offsetAt, positionAt, wholeText } from "./engine/place";

/**
 * Makes `marked` what the editor holds; the cursor stays at its text, and nothing can be undone into what was there.
 * It is not an edit: no rule of editing applies to what somebody else wrote.
 *
 * @throws MarkupError, LoadError if the editor cannot hold it; it is unchanged then.
 */
export function takeIn(editor: Editor, marked: string): void {
  const before = editor.state;
  const doc = load(marked, editor.schema);
  const { move } = sameEnds(wholeText(before.doc), wholeText(doc));
  const at = (pos: number) => positionAt(doc, move(offsetAt(before.doc, pos)));
  const { anchor, head } = before.selection;
  editor.view.updateState(
    EditorState.create({ doc, selection: TextSelection.create(doc, at(anchor), at(head)), plugins: before.plugins }),
  );
  // Whoever follows the editor hears of it as of a change; it has no steps, so that nobody takes it for an edit.
  editor.emit("transaction", { editor, transaction: editor.state.tr, appendedTransactions: [] });
}
