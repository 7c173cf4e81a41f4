/** The rules of `marked-text/typing-rules.ts` for this engine's documents, and the span that the cursor remembers. */

import type { Node } from "@tiptap/pm/model";
import { type EditorState, Plugin, PluginKey, type Transaction } from "@tiptap/pm/state";
import { type ClassifiedText, rememberedSpan, spanOfNewText } from "@/marked-text/typing-rules";
import { textRange } from "./insert";
import { isHistory, isRebalancing } from "./origin";
import { piecesBetween, spanAfter, spanBefore } from "./runs";
import type { SpanId } from "./schema/schema";
import { syncSelection } from "./sync-selection";

function classifiedText(doc: Node): ClassifiedText<number> {
  return {
    spanBefore: (pos) => spanBefore(doc, pos),
    firstSpanIfAllClassified(from, to) {
      // Asked first: the range may be the whole document.
      if (to <= from || spanAfter(doc, from) === null || spanBefore(doc, to) === null) return null;
      const pieces = piecesBetween(doc, from, to);
      return pieces.every(({ span }) => span !== null) ? (pieces[0]?.span ?? null) : null;
    },
  };
}

/** The span of new text that replaces the text between two positions in lines, if the cursor remembers nothing. */
export function newTextSpan(doc: Node, from: number, to: number): SpanId {
  return spanOfNewText(classifiedText(doc), from, to, null);
}

/** The span of text that is typed now between these positions in lines; null: it is plain. */
export function typingSpan(state: EditorState, from: number, to: number): SpanId {
  const { selection } = state;
  const isAtCursor = selection.empty && selection.head === from;
  return spanOfNewText(classifiedText(state.doc), from, to, isAtCursor ? (memory.getState(state) ?? null) : null);
}

/** Whether text typed now would be classified. */
export function typesClassified(state: EditorState): boolean {
  const { from, to } = textRange(state.doc, state.selection);
  return typingSpan(state, from, to) !== null;
}

const memory = new PluginKey<SpanId>("cursorMemory");

/** Keeps the span that the cursor remembers. */
export function cursorMemory(): Plugin<SpanId> {
  return new Plugin<SpanId>({
    key: memory,
    state: {
      init: () => null,
      apply: (tr, kept, before, after) => (isRebalancing(tr) ? kept : remembered(tr, kept, before, after)),
    },
    props: {
      /** A click where the cursor is already moves nothing, and one that the editor learns of late passes for a key. */
      handleClick(view) {
        syncSelection(view);
        if (memory.getState(view.state) != null) view.dispatch(view.state.tr.setMeta("pointer", true));
        return false;
      },
    },
  });
}

function remembered(tr: Transaction, kept: SpanId, before: EditorState, { selection, doc }: EditorState): SpanId {
  const old = before.selection;
  return rememberedSpan(
    {
      before: classifiedText(before.doc),
      after: classifiedText(doc),
      selectionEnd: old.$to.parent.inlineContent ? old.to : null,
      cursor: selection.empty && selection.$head.parent.inlineContent ? selection.head : null,
      forgets: isHistory(tr) || tr.getMeta("pointer") === true,
      isNothing: !tr.docChanged && old.empty && old.head === selection.head,
      deleted: tr.docChanged ? () => deletedSpan(tr, selection.head) : null,
    },
    kept,
  );
}

/** The first span of the text that `tr` deleted at the cursor, if all of it was classified. */
function deletedSpan(tr: Transaction, cursor: number): SpanId {
  let span: SpanId = null;
  tr.steps.forEach((step, index) => {
    const doc = tr.docs[index];
    step.getMap().forEach((from, to, newFrom, newTo) => {
      const isHere = tr.mapping.slice(index + 1).map(newFrom) === cursor;
      if (doc && to > from && newTo === newFrom && isHere)
        span = classifiedText(doc).firstSpanIfAllClassified(from, to);
    });
  });
  return span;
}
