/** Where in the text a position is, in the terms of people and of other documents. */

import type { Node } from "@tiptap/pm/model";
import { piecesBetween, runsOf, spanAfter, spanBefore, textBounds } from "./runs";
import { lineAttributes, type SpanId } from "./schema/schema";

/** Both count from 1; a column is a character, pieces of a very long line are one line. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** The place of a position in a line. */
export function placeAt(doc: Node, pos: number): Place {
  const $pos = doc.resolve(pos);
  if (!$pos.parent.inlineContent) return { line: 1, column: 1 };
  let line = 1;
  doc.forEach((chunk, offset) => {
    if (offset + chunk.nodeSize <= pos) line += lineEnds(chunk);
  });
  const chunk = $pos.node(1);
  for (let index = 0; index <= $pos.index(1); index++) if (hasEnd(chunk.child(index))) line++;
  if (hasEnd(doc.child(0).child(0))) line--;
  return { line, column: columnAt(doc, pos) };
}

function columnAt(doc: Node, pos: number): number {
  const $pos = doc.resolve(pos);
  let column = 1 + characters($pos.parent.textBetween(0, $pos.parentOffset));
  let chunk = $pos.index(0);
  let line = $pos.index(1);
  while (!hasEnd(doc.child(chunk).child(line)) && (line > 0 || chunk > 0)) {
    if (line > 0) line--;
    else line = doc.child(--chunk).childCount - 1;
    column += characters(doc.child(chunk).child(line).textContent);
  }
  return column;
}

/** Code points: half a pair is none. */
function characters(text: string): number {
  let count = text.length;
  for (const _ of text.matchAll(/[\ud800-\udbff][\udc00-\udfff]/g)) count--;
  return count;
}

const known = new WeakMap<Node, number>();

function lineEnds(chunk: Node): number {
  let count = known.get(chunk);
  if (count === undefined) {
    count = 0;
    for (const line of chunk.children) if (hasEnd(line)) count++;
    known.set(chunk, count);
  }
  return count;
}

function hasEnd(line: Node): boolean {
  return lineAttributes(line).before !== "";
}

/** The span at a position: that of the character before it, else after it. */
export function spanIdAt(doc: Node, pos: number): SpanId {
  return doc.resolve(pos).parent.inlineContent ? (spanBefore(doc, pos) ?? spanAfter(doc, pos)) : null;
}

/** The UTF-16 offset in the text of a position in a line. */
export function offsetAt(doc: Node, pos: number): number {
  let offset = 0;
  for (const { text } of piecesBetween(doc, 0, pos)) offset += text.length;
  return offset;
}

/** The position at which so much of the text lies before; the end of the text if it is shorter. */
export function positionAt(doc: Node, offset: number): number {
  const { from: start, to: end } = textBounds(doc);
  let left = offset;
  if (left <= 0) return start;
  for (const { text, from, isLineEnd } of piecesBetween(doc, 0, doc.content.size)) {
    if (left <= text.length) return isLineEnd ? from + 1 : from + left;
    left -= text.length;
  }
  return end;
}

/** The document's text, without any marks. */
export function wholeText(doc: Node): string {
  return runsOf(doc)
    .map(({ text }) => text)
    .join("");
}
