/** Putting text in the place of other text: the one way in which commands of ours change the text. */

import { Fragment, type Node, Slice } from "@tiptap/pm/model";
import { Selection, TextSelection, type Transaction } from "@tiptap/pm/state";
import { ReplaceStep, type Step } from "@tiptap/pm/transform";
import { buildChunks, buildLines, CHUNK_LINES, type SpanText } from "./build";
import { lineAttributes } from "./schema/schema";

/** Steps that keep the typing rules; `typing-guard.ts` checks the others afterwards. */
const correctSteps = new WeakSet<Step>();

export function keepsRules(step: Step): boolean {
  return correctSteps.has(step);
}

/**
 * Replaces the text between two positions in lines; with no texts, deletes it. The cursor goes behind the new text. The line ends in the texts are taken as they are.
 */
export function replaceText(tr: Transaction, from: number, to: number, texts: readonly SpanText[]): Transaction {
  const slice = sliceOf(tr.doc, from, texts);
  if (from === to && !slice.size) return tr;
  const step = new ReplaceStep(from, to, slice);
  correctSteps.add(step);
  tr.step(step);
  const end = tr.mapping.maps.at(-1)?.map(to, 1) ?? to;
  return tr.setSelection(TextSelection.create(tr.doc, end));
}

function sliceOf(doc: Node, from: number, texts: readonly SpanText[]): Slice {
  const lines = buildLines(doc.type.schema, texts, lineAttributes(doc.resolve(from).parent));
  const only = lines[0];
  if (lines.length === 1 && only) return new Slice(only.content, 0, 0);
  if (lines.length <= CHUNK_LINES) return new Slice(Fragment.fromArray(lines), 1, 1);
  return new Slice(Fragment.fromArray(buildChunks(doc.type.schema, lines)), 2, 2);
}

/** The two ends of a selection as positions in lines. */
export function textRange(doc: Node, selection: Selection): { from: number; to: number } {
  return { from: inLine(doc, selection.from, 1), to: inLine(doc, selection.to, -1) };
}

/** The position, or the nearest one in a line. */
export function inLine(doc: Node, pos: number, direction: 1 | -1): number {
  const $pos = doc.resolve(pos);
  return $pos.parent.inlineContent ? pos : Selection.near($pos, direction).head;
}
