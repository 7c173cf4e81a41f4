/** Copies, cuts, pastes and drops text with its classification, as `marked-text/typing-rules.ts` and `marked-clipboard.ts` say. */

import { EditorSelection, type EditorState, type Extension, type TransactionSpec } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { writeTexts } from "@/marked-text/marked-clipboard";
import type { Segment, TextSpan } from "@/marked-text/markup";
import { readPaste } from "../../pasted/read-paste";
import { wholeRange, withLineEnds } from "./line-ends";
import { marking, segmentsOf, typesClassified } from "./spans";

export function clipboardWithSpans(): Extension {
  return EditorView.domEventHandlers({
    copy: (event, view) => copy(event, view),
    cut(event, view) {
      if (!copy(event, view)) return false;
      if (!view.state.readOnly) view.dispatch(view.state.replaceSelection(""), { userEvent: "delete.cut" });
      return true;
    },
    paste(event, view) {
      if (!event.clipboardData || view.state.readOnly) return false;
      event.preventDefault();
      const texts = readPaste(event.clipboardData);
      if (texts.length) view.dispatch(pasteTexts(view.state, texts));
      return true;
    },
    // Dragged text would arrive without its spans.
    dragstart(event) {
      event.preventDefault();
      return true;
    },
    drop(event, view) {
      if (!event.dataTransfer || view.state.readOnly) return false;
      event.preventDefault();
      const texts = readPaste(event.dataTransfer);
      if (!texts.length) return true;
      const at = view.posAtCoords(event, false);
      view.dispatch({ selection: EditorSelection.cursor(at), userEvent: "select.pointer" });
      view.dispatch(pasteTexts(view.state, texts));
      return true;
    },
  });
}

function copy(event: ClipboardEvent, view: EditorView): boolean {
  const { main } = view.state.selection;
  if (main.empty || !event.clipboardData) return false;
  event.preventDefault();
  const texts = [...segmentsOf(view.state, main.from, main.to)];
  // Withheld text cannot be copied, either.
  writeTexts(event.clipboardData, view.state.readOnly ? texts.filter(({ classified }) => !classified) : texts);
  return true;
}

export function pasteTexts(state: EditorState, texts: readonly Segment[]): TransactionSpec {
  const { from, to } = wholeRange(state.doc, state.selection.main);
  const takesSpan = typesClassified(state, { from, to });
  const classified: TextSpan[] = [];
  let text = "";
  for (const one of texts) {
    const start = from + text.length;
    text += withLineEnds(state, one.text);
    if (one.classified && !takesSpan) classified.push({ from: start, to: from + text.length });
  }
  return {
    changes: { from, to, insert: state.toText(text) },
    selection: EditorSelection.cursor(from + text.length),
    effects: classified.length ? marking(classified) : [],
    scrollIntoView: true,
    userEvent: "input.paste",
  };
}
