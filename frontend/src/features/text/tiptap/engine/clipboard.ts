/**
 * Copying, pasting and dragging. Text leaves as plain text, never as HTML. HTML comes in as text (`../../pasted/`).
 *
 * Copied text that is in part classified also leaves as marked text, under a type of its own, so that it keeps its
 * classification when it is pasted here, in another document or another tab.
 */

import type { Node } from "@tiptap/pm/model";
import { type EditorState, Plugin, TextSelection, type Transaction } from "@tiptap/pm/state";
import type { EditorView } from "@tiptap/pm/view";
import { plainText, writeTexts } from "@/marked-text/marked-clipboard";
import type { Segment } from "@/marked-text/markup";
import { readPaste } from "../../pasted/read-paste";
import type { SpanText } from "./build";
import { newTextSpan, typingSpan } from "./cursor-memory";
import { inLine, replaceText, textRange } from "./insert";
import { dominantLineEnd, freshSpan, piecesBetween } from "./runs";
import type { SpanId } from "./schema/schema";

export function clipboard(): Plugin {
  const copy = (view: EditorView, event: ClipboardEvent): boolean => {
    const data = event.clipboardData;
    if (!data || view.state.selection.empty) return false;
    writeTexts(data, copiedTexts(view.state));
    event.preventDefault();
    return true;
  };

  return new Plugin({
    props: {
      handleDOMEvents: {
        copy,
        cut(view, event) {
          if (!view.editable || !copy(view, event)) return false;
          const { from, to } = textRange(view.state.doc, view.state.selection);
          view.dispatch(replaceText(view.state.tr, from, to, []).scrollIntoView().setMeta("uiEvent", "cut"));
          return true;
        },
        paste(view, event) {
          if (!view.editable || !event.clipboardData) return false;
          event.preventDefault();
          const texts = readPaste(event.clipboardData);
          if (texts.length)
            view.dispatch(pasteTexts(view.state, texts).setMeta("paste", true).setMeta("uiEvent", "paste"));
          return true;
        },
        drop(view, event) {
          if (!view.editable || view.dragging || !event.dataTransfer) return false;
          // Whatever it is, ProseMirror would look for HTML in it, and the browser would leave the page for a file.
          event.preventDefault();
          const texts = readPaste(event.dataTransfer);
          const pos = dropPosition(view, event);
          if (texts.length && pos !== null) dispatchDrop(view, dropTexts(view.state.tr, pos, texts));
          return true;
        },
      },
      handleDrop(view, event, _slice, moved) {
        const pos = dropPosition(view, event);
        const tr = pos === null ? null : dropSelection(view.state, pos, moved);
        if (tr) dispatchDrop(view, tr);
        return true;
      },
      clipboardTextSerializer(_slice, view) {
        return plainText(copiedTexts(view.state));
      },
    },
    view(view) {
      // ProseMirror fills in what is dragged; ours must come after that.
      const addMarked = (event: DragEvent) => {
        if (!event.dataTransfer || view.state.selection.empty) return;
        writeTexts(event.dataTransfer, copiedTexts(view.state));
      };
      view.dom.addEventListener("dragstart", addMarked);
      return { destroy: () => view.dom.removeEventListener("dragstart", addMarked) };
    },
  });
}

export function copiedTexts(state: EditorState): Segment[] {
  const { from, to } = textRange(state.doc, state.selection);
  const texts: { text: string; span: SpanId }[] = [];
  for (const { text, span } of piecesBetween(state.doc, from, to)) {
    const last = texts.at(-1);
    if (last && last.span === span) last.text += text;
    else texts.push({ text, span });
  }
  return texts.map(({ text, span }) => ({ text, classified: span !== null }));
}

export function pasteTexts(state: EditorState, texts: readonly Segment[]): Transaction {
  const { from, to } = textRange(state.doc, state.selection);
  const span = typingSpan(state, from, to);
  return replaceText(state.tr, from, to, incoming(state.doc, texts, span)).scrollIntoView();
}

/** The texts as they come in: with the document's line ends, and in `span` or in spans of their own. */
function incoming(doc: Node, texts: readonly Segment[], span: SpanId): SpanText[] {
  const lineEnd = dominantLineEnd(doc);
  let fresh = freshSpan(doc);
  return texts.map(({ text, classified }) => ({
    text: text.replace(/\r\n|\r|\n/g, lineEnd),
    span: span ?? (classified ? fresh++ : null),
  }));
}

function dropPosition(view: EditorView, event: DragEvent): number | null {
  const found = view.posAtCoords({ left: event.clientX, top: event.clientY });
  return found && inLine(view.state.doc, found.pos, 1);
}

/** The selection dropped at a position in a line, moved there or copied; null if it is there already. */
export function dropSelection(state: EditorState, pos: number, moved: boolean): Transaction | null {
  const { from, to } = textRange(state.doc, state.selection);
  if (moved && pos >= from && pos <= to) return null;
  const texts = copiedTexts(state);
  const { tr } = state;
  if (moved) replaceText(tr, from, to, []);
  return dropTexts(tr, tr.mapping.map(pos), texts);
}

function dropTexts(tr: Transaction, pos: number, texts: readonly Segment[]): Transaction {
  replaceText(tr, pos, pos, incoming(tr.doc, texts, newTextSpan(tr.doc, pos, pos)));
  return tr.setSelection(TextSelection.create(tr.doc, pos, tr.selection.head));
}

function dispatchDrop(view: EditorView, tr: Transaction): void {
  view.focus();
  view.dispatch(tr.setMeta("uiEvent", "drop"));
}
