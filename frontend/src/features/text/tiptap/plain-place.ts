/** Where a place of the document is in the plain stream, in UTF-16 offsets of that stream; and which part is beside which. */
import type { Node } from "@tiptap/pm/model";
import { piecesBetween } from "./engine/runs";
import type { PlainBlock } from "./plain-blocks";

const known = new WeakMap<Node, number>();

/** The offset in the plain stream of a position in a line. Classified text has the offset of the text after it. */
export function plainOffset(doc: Node, pos: number): number {
  let offset = 0;
  let start = 0;
  for (let index = 0; index < doc.childCount; index++) {
    const chunk = doc.child(index);
    const end = start + chunk.nodeSize;
    if (end > pos) return offset + plainBetween(doc, start, pos);
    let length = known.get(chunk);
    if (length === undefined) {
      length = plainBetween(doc, start, end);
      // The line end before the first line is none; elsewhere the same chunk may have one there.
      if (index > 0) known.set(chunk, length);
    }
    offset += length;
    start = end;
  }
  return offset;
}

function plainBetween(doc: Node, from: number, to: number): number {
  let length = 0;
  for (const { span, text } of piecesBetween(doc, from, to)) if (span === null) length += text.length;
  return length;
}

/** The block with the character at `offset`, and the character's place in it; the end of the last one if there is none. */
export function blockAt(blocks: readonly PlainBlock[], offset: number): { index: number; inside: number } {
  let start = 0;
  for (const [index, { text }] of blocks.entries()) {
    if (offset < start + text.length) return { index, inside: offset - start };
    start += text.length;
  }
  const index = Math.max(0, blocks.length - 1);
  return { index, inside: blocks[index]?.text.length ?? 0 };
}

/**
 * Which height of two views is held beside each other, from 0, their tops, to 1, their bottoms. It is the tops, but on
 * the page's last screen: one view is not as high as the other, and at the end of the one is the end of the other.
 */
export function heldAt(scrolled: number, mostScrolled: number, screen: number): number {
  const stretch = Math.min(screen, mostScrolled);
  if (stretch <= 0) return 0;
  return Math.min(1, Math.max(0, 1 - (mostScrolled - scrolled) / stretch));
}
