/**
 * What is copied leaves as `editor/marked-clipboard.ts` says, and so it comes in: what was classified in spans of its own,
 * by the editor's law. Whatever is pasted into a span belongs to that.
 */

import { EditorSelection, type Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { readTexts, writeTexts } from "@/marked-text/marked-clipboard";
import type { Segment, TextSpan } from "@/marked-text/markup";
import { wholeRange, withLineEnds } from "./line-ends";
import { marking, segmentsOf, spanAt, spansField } from "./spans";

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
      const texts = readTexts(event.clipboardData);
      if (texts.length) paste(view, texts);
      return true;
    },
    // What is dragged would come in without its spans.
    dragstart(event) {
      event.preventDefault();
      return true;
    },
    drop(event, view) {
      if (!event.dataTransfer || view.state.readOnly) return false;
      event.preventDefault();
      const texts = readTexts(event.dataTransfer);
      if (!texts.length) return true;
      const at = view.posAtCoords(event, false);
      view.dispatch({ selection: EditorSelection.cursor(at) });
      paste(view, texts);
      return true;
    },
  });
}

function copy(event: ClipboardEvent, view: EditorView): boolean {
  const { main } = view.state.selection;
  if (main.empty || !event.clipboardData) return false;
  event.preventDefault();
  const texts = [...segmentsOf(view.state, main.from, main.to)];
  // What is withheld is not to be had by copying, either.
  writeTexts(event.clipboardData, view.state.readOnly ? texts.filter(({ classified }) => !classified) : texts);
  return true;
}

function paste(view: EditorView, texts: readonly Segment[]): void {
  const { state } = view;
  const { from, to } = wholeRange(state.doc, state.selection.main);
  const inside = spanAt(state.field(spansField), from);
  const takesSpan = inside !== null && inside.from < from;
  const classified: TextSpan[] = [];
  let text = "";
  for (const one of texts) {
    const start = from + text.length;
    text += withLineEnds(state, one.text);
    if (one.classified && !takesSpan) classified.push({ from: start, to: from + text.length });
  }
  view.dispatch({
    changes: { from, to, insert: state.toText(text) },
    selection: EditorSelection.cursor(from + text.length),
    effects: classified.length ? marking(classified) : [],
    scrollIntoView: true,
    userEvent: "input.paste",
  });
}
