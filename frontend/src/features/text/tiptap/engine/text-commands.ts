/** Typing, Enter, Backspace and Delete, by the typing rules and as if there were no chunks. */

import type { Node } from "@tiptap/pm/model";
import type { Command, EditorState, Transaction } from "@tiptap/pm/state";
import { clusterAfter, clusterBefore } from "@/marked-text/characters";
import { typingSpan } from "./cursor-memory";
import { replaceText, textRange } from "./insert";
import { dominantLineEnd, endOfLineBefore, isFirstLine, startOfLineAfter } from "./runs";
import { lineAttributes } from "./schema/schema";

/** Replaces the text between two positions in lines, as if `text` were typed there. */
export function typeText(state: EditorState, from: number, to: number, text: string): Transaction {
  return replaceText(state.tr, from, to, [{ text, span: typingSpan(state, from, to) }]).scrollIntoView();
}

/** A line end of the kind that the document has most. */
export const enter: Command = (state, dispatch) => {
  const { from, to } = textRange(state.doc, state.selection);
  dispatch?.(typeText(state, from, to, dominantLineEnd(state.doc)));
  return true;
};

/** Deletes the selection, or the line end before the cursor. In the middle of a line, the browser does better. */
export const deleteBackward: Command = (state, dispatch) => {
  if (!state.selection.empty) return deleteSelection(state, dispatch);
  const { from } = textRange(state.doc, state.selection);
  if (state.doc.resolve(from).parentOffset > 0) return false;
  return deleteRange(state, beforeLine(state.doc, from), from, dispatch);
};

/** Deletes the selection, or the line end after the cursor. */
export const deleteForward: Command = (state, dispatch) => {
  if (!state.selection.empty) return deleteSelection(state, dispatch);
  const { from } = textRange(state.doc, state.selection);
  const $from = state.doc.resolve(from);
  if ($from.parentOffset < $from.parent.content.size) return false;
  return deleteRange(state, from, afterLine(state.doc, from), dispatch);
};

export const deleteSelection: Command = (state, dispatch) => {
  const { from, to } = textRange(state.doc, state.selection);
  return deleteRange(state, from, to, dispatch);
};

function deleteRange(state: EditorState, from: number, to: number, dispatch?: (tr: Transaction) => void): boolean {
  if (to > from) dispatch?.(replaceText(state.tr, from, to, []).scrollIntoView());
  return true;
}

/** Where the character before a line's start begins: its line end, or in a very long line the last character. */
function beforeLine(doc: Node, start: number): number {
  const linePos = start - 1;
  if (isFirstLine(linePos)) return start;
  const end = endOfLineBefore(doc, linePos);
  const $end = doc.resolve(end);
  if (lineAttributes(doc.resolve(start).parent).before !== "") return end;
  if ($end.parentOffset === 0) return beforeLine(doc, end);
  return $end.start() + clusterBefore($end.parent.textContent, $end.parentOffset);
}

/** Where the character after a line's end ends. */
function afterLine(doc: Node, end: number): number {
  const start = startOfLineAfter(doc, end + 1);
  if (start === null) return end;
  const line = doc.resolve(start).parent;
  if (lineAttributes(line).before !== "") return start;
  if (line.content.size === 0) return afterLine(doc, start);
  return start + clusterAfter(line.textContent, 0);
}
