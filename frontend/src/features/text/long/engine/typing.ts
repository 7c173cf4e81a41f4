/**
 * Typing into a very long line. CodeMirror lets the browser put a letter in, and reads from the page what that was, with the
 * pieces of text beside it; near either end of a line that is all of the line, which in one of ten megabytes takes a tenth
 * of a second for each key. So there the letter is put in before the browser does it. What is composed, by an input method
 * or a phone's keyboard, is read from the page in any line: there the browser has to go first.
 */

import { EditorView } from "@codemirror/view";

/** A line of more UTF-16 code units than this; in this long a one it takes about a millisecond. */
const LONG = 100_000;

export const typingIntoLongLines = EditorView.domEventHandlers({
  beforeinput({ inputType, data, isComposing }, view) {
    const { state } = view;
    if (inputType !== "insertText" || !data || isComposing || view.composing || state.readOnly) return false;
    if (state.doc.lineAt(state.selection.main.head).length <= LONG) return false;
    view.dispatch(state.update(state.replaceSelection(data), { userEvent: "input.type", scrollIntoView: true }));
    return true;
  },
});
