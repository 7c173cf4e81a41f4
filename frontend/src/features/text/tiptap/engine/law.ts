/**
 * What typing, pasting, deleting and dropping do to classification.
 *
 * The law:
 *
 *  1. A character that is classified stays classified, whatever is done around it, until somebody unmarks it.
 *  2. New text takes the span of the character before it, a line end being a character. So text at the end of a span
 *     is classified, and goes on so after Enter; text at its start is not.
 *  3. New text in place of a selection takes the span that the selection began in, or ended; or the selection's first
 *     span, if everything selected was classified.
 *  4. A cursor remembers that it came from inside: moved by keys from a span to its start, or left where all that was
 *     deleted was classified, it types classified text. A click forgets that.
 *  5. Text that is pasted or dropped into a span belongs to that span. Elsewhere, what was classified where it was
 *     copied from comes in as spans of its own, and everything else is plain. Tags in it are text.
 *  6. A span whose text is deleted is gone; touching spans stay two.
 *  7. Undo and redo restore text and spans exactly.
 *
 * In doubt it errs towards classified. Commands of ours keep the law themselves; a change that comes in another way, by
 * the browser's own editing, an input method, or a command of another extension, is corrected in `guard.ts`.
 */

import type { Node } from "@tiptap/pm/model";
import { type EditorState, Plugin, PluginKey, type Selection, type Transaction } from "@tiptap/pm/state";
import { catchUp } from "./catch-up";
import { textRange } from "./insert";
import { isHistory, isRebalancing } from "./origin";
import { piecesBetween, spanAfter, spanBefore } from "./runs";
import type { SpanId } from "./schema/schema";

/** The span of new text that takes the place of what stands from `from` to `to`, two positions in lines. */
export function lawfulSpan(doc: Node, from: number, to: number): SpanId {
  return spanBefore(doc, from) ?? (to > from ? spanThroughout(doc, from, to) : null);
}

/** The first span of the text from `from` to `to`, if all of it is classified; it may be several spans. */
function spanThroughout(doc: Node, from: number, to: number): SpanId {
  const pieces = piecesBetween(doc, from, to);
  return pieces.every(({ span }) => span !== null) ? (pieces[0]?.span ?? null) : null;
}

/** The span that text typed now at these positions would belong to; null: it would be plain. */
export function typingSpan(state: EditorState, from: number, to: number): SpanId {
  const span = lawfulSpan(state.doc, from, to);
  if (span !== null || from !== to) return span;
  const { selection } = state;
  return selection.empty && selection.head === from ? (memory.getState(state) ?? null) : null;
}

/** Whether text typed now would be classified. */
export function typesClassified(state: EditorState): boolean {
  const { from, to } = textRange(state.doc, state.selection);
  return typingSpan(state, from, to) !== null;
}

/** The span that the cursor came from, where the text before it does not tell. */
const memory = new PluginKey<SpanId>("cameFrom");

/** Keeps the fourth rule. */
export function cursorMemory(): Plugin<SpanId> {
  return new Plugin<SpanId>({
    key: memory,
    state: {
      init: () => null,
      apply: (tr, value, before, after) => remember(tr, value, before, after),
    },
    props: {
      /** A click where the cursor is already moves nothing, and one that is heard of late passes for a key. */
      handleClick(view) {
        catchUp(view);
        if (memory.getState(view.state) != null) view.dispatch(view.state.tr.setMeta("pointer", true));
        return false;
      },
    },
  });
}

function remember(tr: Transaction, value: SpanId, before: EditorState, after: EditorState): SpanId {
  const { selection } = after;
  if (!selection.empty || !selection.$head.parent.inlineContent || isHistory(tr) || tr.getMeta("pointer")) return null;
  const stayed = before.selection.empty && tr.mapping.map(before.selection.head) === selection.head;
  if (isRebalancing(tr) || (!tr.docChanged && stayed)) return value;
  if (spanBefore(after.doc, selection.head) !== null) return null;
  return tr.docChanged ? deletedSpan(tr, selection) : spanMovedFrom(tr, before.selection, selection);
}

/** The span of what was deleted where the cursor is now, if all of it was classified. */
function deletedSpan(tr: Transaction, { head }: Selection): SpanId {
  let span: SpanId = null;
  tr.steps.forEach((step, index) => {
    const doc = tr.docs[index];
    step.getMap().forEach((from, to, newFrom, newTo) => {
      const here = tr.mapping.slice(index + 1).map(newFrom) === head;
      if (doc && to > from && newTo === newFrom && here) span = spanThroughout(doc, from, to);
    });
  });
  return span;
}

function spanMovedFrom(tr: Transaction, from: Selection, to: Selection): SpanId {
  const next = spanAfter(tr.doc, to.head);
  if (next === null || !from.$to.parent.inlineContent || from.to <= to.head) return null;
  return spanBefore(tr.doc, from.to) === next ? next : null;
}
