/**
 * From the text on the page to the same place of the plain stream on the page. Both are read line by line as they are
 * drawn, and in between in proportion, so that the one moves evenly with the other.
 */
import type { Editor } from "@tiptap/core";
import type { EditorView } from "@tiptap/pm/view";
import type { PlainBlock } from "./plain-blocks";
import { blockAt, plainOffset } from "./plain-place";

/** The line of the text at some height of the window, by what of it is plain. */
export interface Seen {
  /** Offsets in the plain stream; the same ones if all of the line is classified. */
  readonly from: number;
  readonly to: number;
  /** How much of the line is above that height, from 0 to 1. */
  readonly share: number;
  /** How far below that height the text begins, in px; 0 if it has begun. */
  readonly lead: number;
}

interface Drawn {
  /** Positions. */
  readonly from: number;
  readonly to: number;
  readonly top: number;
  readonly bottom: number;
}

/** What of the text is at the height `y` of the window. */
export function seenAt({ view, state: { doc } }: Editor, y: number): Seen {
  const { top } = view.dom.getBoundingClientRect();
  if (top >= y) return { from: 0, to: 0, share: 0, lead: top - y };
  const drawn = drawnAt(view, y);
  const share = Math.min(1, Math.max(0, (y - drawn.top) / Math.max(1, drawn.bottom - drawn.top)));
  return { from: plainOffset(doc, drawn.from), to: plainOffset(doc, drawn.to), share, lead: 0 };
}

/** The line as it is drawn, one of several if it is wrapped, that reaches below `y`; else the last one. */
function drawnAt(view: EditorView, y: number): Drawn {
  const { doc } = view.state;
  const bottomOf = (pos: number) => boxAt(view, pos).bottom;
  const starts: number[] = [];
  doc.forEach((_, pos) => void starts.push(pos));
  const chunk = first(starts.length - 1, (index) => bottomOf(starts[index] ?? 0) > y);
  const lines: number[] = [];
  doc.child(chunk).forEach((_, offset) => void lines.push((starts[chunk] ?? 0) + 1 + offset));
  const line = first(lines.length - 1, (index) => bottomOf(lines[index] ?? 0) > y);
  const pos = lines[line] ?? 1;
  const box = boxAt(view, pos);
  const from = pos + 1;
  const length = doc.nodeAt(pos)?.content.size ?? 0;
  const next = lines[line + 1] ?? (starts[chunk + 1] === undefined ? null : (starts[chunk + 1] ?? 0) + 1);
  const end = next === null ? from + length : next + 1;

  const height = Number.parseFloat(getComputedStyle(view.dom).lineHeight);
  if (!(box.bottom - box.top > 1.5 * height)) return { from, to: end, top: box.top, bottom: box.bottom };
  const floor = (inside: number) => {
    const { top, bottom } = view.coordsAtPos(from + inside, 1);
    return (top + bottom + height) / 2;
  };
  const start = first(length, (inside) => floor(inside) > y);
  const bottom = floor(start);
  const after = first(length, (inside) => floor(inside) > bottom + height / 2);
  const isLast = after === length && floor(length) <= bottom + height / 2;
  return { from: from + start, to: isLast ? end : from + after, top: bottom - height, bottom };
}

function boxAt(view: EditorView, pos: number): DOMRect {
  const dom = view.nodeDOM(pos);
  return dom instanceof Element ? dom.getBoundingClientRect() : new DOMRect();
}

/** The first number up to `last` that it holds for, as for all after it; `last` if there is none. */
function first(last: number, holds: (index: number) => boolean): number {
  let low = 0;
  let high = last;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Scrolls the pane so that the plain stream is at the height `y` of the window where the text was. Returns how far. */
export function showAt(pane: Element, blocks: readonly PlainBlock[], seen: Seen, y: number): number {
  const list = pane.firstElementChild;
  if (!list || blocks.length === 0) return 0;
  const from = heightOf(list, blocks, seen.from);
  const to = seen.to === seen.from ? from : heightOf(list, blocks, seen.to);
  const before = pane.scrollTop;
  const by = from + (to - from) * seen.share - seen.lead - y;
  if (Math.abs(by) >= 1) pane.scrollTo({ top: before + by, behavior: "instant" });
  return pane.scrollTop - before;
}

/** The height in the window at which the line with this character begins; of the end, where the last one ends. */
function heightOf(list: Element, blocks: readonly PlainBlock[], offset: number): number {
  const { index, inside } = blockAt(blocks, offset);
  const block = list.children[index];
  if (!block) return 0;
  const box = block.getBoundingClientRect();
  const text = block.querySelector(".eavesdropped")?.firstChild;
  const length = text?.textContent?.length ?? 0;
  if (inside === 0 || !text) return box.top;
  if (inside >= length) return box.bottom;
  const range = document.createRange();
  range.setStart(text, inside);
  range.setEnd(text, inside + 1);
  // A block that is not drawn yet may have no box; it has one a moment later.
  return range.getClientRects()[0]?.top ?? box.top + (box.height * inside) / length;
}
