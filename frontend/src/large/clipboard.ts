/**
 * What is copied remembers its spans: pasted here again, what was classified comes in classified, by the editor's law.
 * Text from elsewhere takes the span that it is pasted into, or none. Nothing is normalised on the way.
 */

import { EditorSelection, type Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import type { TextSpan } from "@/editor/markup";
import { marking, ranges, spanAt, spansField } from "./spans";

let copied: { readonly text: string; readonly spans: readonly TextSpan[] } | null = null;

export function clipboardWithSpans(): Extension {
  return EditorView.domEventHandlers({
    copy: (event, view) => copy(event, view),
    cut(event, view) {
      if (!copy(event, view)) return false;
      if (view.state.facet(EditorView.editable))
        view.dispatch(view.state.replaceSelection(""), { userEvent: "delete.cut" });
      return true;
    },
    paste(event, view) {
      const text = event.clipboardData?.getData("text/plain");
      if (text === undefined || !view.state.facet(EditorView.editable)) return false;
      event.preventDefault();
      paste(view, text);
      return true;
    },
    // What is dragged would come in without its spans.
    dragstart(event) {
      event.preventDefault();
      return true;
    },
    drop(event, view) {
      const text = event.dataTransfer?.getData("text/plain");
      if (!text || !view.state.facet(EditorView.editable)) return false;
      event.preventDefault();
      const at = view.posAtCoords(event, false);
      view.dispatch({ selection: EditorSelection.cursor(at) });
      paste(view, text);
      return true;
    },
  });
}

function copy(event: ClipboardEvent, view: EditorView): boolean {
  const { main } = view.state.selection;
  if (main.empty || !event.clipboardData) return false;
  event.preventDefault();
  // What is withheld is not to be had by copying, either.
  const withheld = !view.state.facet(EditorView.editable);
  const spans = [...within(view, main)];
  const text = view.state.sliceDoc(main.from, main.to);
  event.clipboardData.setData("text/plain", withheld ? without(text, spans) : text);
  copied = withheld ? null : { text, spans };
  return true;
}

/** The spans in the selection, counted from its start. */
function* within(view: EditorView, { from, to }: TextSpan): Iterable<TextSpan> {
  for (const span of ranges(view.state.field(spansField), from)) {
    if (span.from >= to) return;
    const inside = { from: Math.max(span.from, from) - from, to: Math.min(span.to, to) - from };
    if (inside.to > inside.from) yield inside;
  }
}

function without(text: string, spans: readonly TextSpan[]): string {
  let plain = "";
  let at = 0;
  for (const { from, to } of spans) {
    plain += text.slice(at, from);
    at = to;
  }
  return plain + text.slice(at);
}

function paste(view: EditorView, text: string): void {
  const { from, to } = view.state.selection.main;
  const inside = spanAt(view.state.field(spansField), from);
  const takesSpan = inside !== null && inside.from < from;
  const spans = copied?.text === text && !takesSpan ? copied.spans : [];
  view.dispatch({
    changes: { from, to, insert: view.state.toText(text) },
    selection: EditorSelection.cursor(from + text.length),
    effects: spans.length ? marking(spans.map((span) => ({ from: from + span.from, to: from + span.to }))) : [],
    scrollIntoView: true,
    userEvent: "input.paste",
  });
}
