/** Converts DOM positions to offsets in the document. Each block's element has its index in `data-index`. */
import type { ReaderDocument } from "./reader-document";

/** The selected range of the document; null if there is none. Ignores text outside the sheet. */
export function selectedRange(sheet: HTMLElement, opened: ReaderDocument): { from: number; to: number } | null {
  const selection = sheet.ownerDocument.getSelection();
  const range = selection && selection.rangeCount > 0 && !selection.isCollapsed ? selection.getRangeAt(0) : null;
  if (!range?.intersectsNode(sheet)) return null;
  const from = offsetAt(sheet, opened, range.startContainer, range.startOffset);
  const to = offsetAt(sheet, opened, range.endContainer, range.endOffset);
  return from < to ? { from, to } : null;
}

/** The index of the block that contains `node`; null if none of this sheet does. */
export function blockOf(sheet: HTMLElement, node: Node | null): number | null {
  const element = node instanceof Element ? node : node?.parentElement;
  const row = element?.closest<HTMLElement>("[data-index]");
  return row && sheet.contains(row) ? Number(row.dataset.index) : null;
}

function offsetAt(sheet: HTMLElement, { blocks }: ReaderDocument, node: Node, offset: number): number {
  const range = sheet.ownerDocument.createRange();
  const rows = [...sheet.querySelectorAll<HTMLElement>("[data-index]")];
  const inside = rows.find((row) => row.contains(node));
  if (inside) {
    range.setStart(inside, 0);
    range.setEnd(node, offset);
    return (blocks[Number(inside.dataset.index)]?.from ?? 0) + range.toString().length;
  }
  range.setStart(node, offset);
  range.collapse(true);
  const next = rows.find((row) => range.comparePoint(row, 0) >= 0);
  const row = next ?? rows.at(-1);
  const block = blocks[Number(row?.dataset.index)];
  return (next ? block?.from : block?.to) ?? 0;
}
