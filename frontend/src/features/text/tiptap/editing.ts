/** What the page reads from the editor's state at each key. All of it is fast in documents of any length. */
import type { Editor } from "@tiptap/core";
import { redoDepth, undoDepth } from "@tiptap/pm/history";
import type { EditorState } from "@tiptap/pm/state";
import { charactersOf } from "../character-counts";
import { isMarked } from "./engine/commands";
import { typesClassified } from "./engine/cursor-memory";
import { textRange } from "./engine/insert";
import { type Place, placeAt, spanIdAt } from "./engine/place";
import { piecesBetween } from "./engine/runs";

/** Whether "Mark" would unmark. */
export function isMarkedHere(state: EditorState): boolean {
  const { selection } = state;
  return selection.empty ? spanIdAt(state.doc, selection.head) !== null : isMarked(state);
}

export function toolsOf({ editor }: { editor: Editor | null }) {
  if (!editor) return NOTHING;
  const { state } = editor;
  return {
    marked: isMarkedHere(state),
    canUndo: undoDepth(state) > 0,
    canRedo: redoDepth(state) > 0,
    some: spansHere(state).length > 0,
  };
}

const NOTHING = { marked: false, canUndo: false, canRedo: false, some: false };

/** The ids of the span at the cursor, or of all spans that the selection reaches into. */
export function spansHere({ doc, selection }: EditorState): number[] {
  if (selection.empty) return [spanIdAt(doc, selection.head) ?? []].flat();
  const { from, to } = textRange(doc, selection);
  return [...new Set(piecesBetween(doc, from, to).flatMap(({ span }) => span ?? []))];
}

export interface Where extends Place {
  /** Whether text typed here would be classified. */
  readonly classified: boolean;
  /** Characters that are selected, line ends included. */
  readonly selected: number;
}

export function whereOf({ editor }: { editor: Editor | null }): Where {
  if (!editor) return { line: 1, column: 1, classified: false, selected: 0 };
  const { state } = editor;
  const { from, to, head } = state.selection;
  return { ...placeAt(state.doc, head), classified: typesClassified(state), selected: lengthBetween(state, from, to) };
}

function lengthBetween(state: EditorState, from: number, to: number): number {
  if (from === to) return 0;
  return piecesBetween(state.doc, from, to).reduce((sum, { text }) => sum + charactersOf(text), 0);
}
