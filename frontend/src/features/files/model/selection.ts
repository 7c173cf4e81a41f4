/**
 * Converts the selection in the page to places of a file. A unit's element has the unit's address in `data-address`. It
 * contains leaves of text, each with the code point of the unit at which it starts in `data-at`.
 */
import { countBefore } from "@/lib/binary-search";
import { codePoints, Units } from "@/lib/code-points";
import type { Place } from "./marks";

/** `words`: a leaf that the selection touches counts whole. */
export function placesOfSelection(root: HTMLElement, words = false): readonly Place[] {
  const selection = root.ownerDocument.getSelection();
  if (!selection || selection.rangeCount === 0 || selection.isCollapsed) return [];
  const range = selection.getRangeAt(0);
  if (!range.intersectsNode(root)) return [];
  const places: Place[] = [];
  for (const unit of unitsWithin(root, range)) {
    const leaves = leavesOf(unit);
    const start = startPoint(leaves, range, words);
    const end = endPoint(leaves, range, words);
    const address = unit.dataset.address;
    if (address !== undefined && start !== null && end !== null && start < end) places.push({ address, start, end });
  }
  return places;
}

/** The address of the unit in which the selection ends, or the cursor is; null if it is in none of `root`. */
export function addressAtCursor(root: HTMLElement): string | null {
  const node = root.ownerDocument.getSelection()?.focusNode ?? null;
  const element = node instanceof Element ? node : node?.parentElement;
  const unit = element?.closest<HTMLElement>("[data-address]");
  return unit && root.contains(unit) ? (unit.dataset.address ?? null) : null;
}

/** The code point of its unit that the selection ends at; null if it is in none of `root`. */
export function pointAtCursor(root: HTMLElement): number | null {
  const selection = root.ownerDocument.getSelection();
  const node = selection?.focusNode ?? null;
  const unit = node && closestUnit(node, root);
  if (!selection || !node || !unit) return null;
  const range = root.ownerDocument.createRange();
  range.setStart(node, selection.focusOffset);
  range.collapse(true);
  return startPoint(leavesOf(unit), range, false) ?? endPoint(leavesOf(unit), range, false);
}

/** The range of the page for these code points of a unit; null if the unit has no text there. */
export function selectPoints(unit: HTMLElement, start: number, end: number): Range | null {
  const range = unit.ownerDocument.createRange();
  let begun = false;
  for (const leaf of leavesOf(unit)) {
    const at = atOf(leaf);
    const text = textOf(leaf);
    const to = at + codePoints(text);
    const node = firstText(leaf);
    if (!node) continue;
    if (!begun && start < to) {
      range.setStart(node, utf16(text, Math.max(0, start - at)));
      begun = true;
    }
    if (begun && at < end) range.setEnd(node, utf16(text, Math.min(to, end) - at));
  }
  return begun ? range : null;
}

/** The ranges of the page for many places of one unit, all of which it measures once. */
export function selectAllPoints(unit: HTMLElement, places: readonly Place[]): Range[] {
  const leaves = leavesOf(unit).flatMap((leaf) => {
    const node = firstText(leaf);
    const text = textOf(leaf);
    return node ? [{ at: atOf(leaf), end: atOf(leaf) + codePoints(text), node, units: new Units(text) }] : [];
  });
  return places.flatMap(({ start, end }) => {
    const [from, to] = [start ?? 0, end ?? Number.POSITIVE_INFINITY];
    const first = leaves[countBefore(leaves.length, (index) => (leaves[index]?.end ?? 0) <= from)];
    const last = leaves[countBefore(leaves.length, (index) => (leaves[index]?.at ?? 0) < to) - 1];
    if (!first || !last || last.at < first.at) return [];
    const range = unit.ownerDocument.createRange();
    range.setStart(first.node, first.units.of(Math.max(0, from - first.at)));
    range.setEnd(last.node, last.units.of(Math.min(to, last.end) - last.at));
    return [range];
  });
}

function unitsWithin(root: HTMLElement, range: Range): HTMLElement[] {
  const found: HTMLElement[] = [];
  const walker = root.ownerDocument.createTreeWalker(root, NodeFilter.SHOW_ELEMENT, (node) =>
    (node as HTMLElement).dataset?.address === undefined ? NodeFilter.FILTER_SKIP : NodeFilter.FILTER_ACCEPT,
  );
  const first = closestUnit(range.startContainer, root);
  if (first) walker.currentNode = first;
  let node: Node | null = first ?? walker.nextNode();
  for (; node; node = walker.nextNode()) {
    if (range.intersectsNode(node)) found.push(node as HTMLElement);
    else if (range.comparePoint(node, 0) > 0) break;
  }
  return found;
}

function closestUnit(node: Node, root: HTMLElement): HTMLElement | null {
  const element = node instanceof Element ? node : node.parentElement;
  const unit = element?.closest<HTMLElement>("[data-address]") ?? null;
  return unit && root.contains(unit) ? unit : null;
}

function leavesOf(unit: HTMLElement): HTMLElement[] {
  return [...unit.querySelectorAll<HTMLElement>("[data-at]")];
}

function startPoint(leaves: readonly HTMLElement[], range: Range, words: boolean): number | null {
  const { startContainer: node, startOffset: offset } = range;
  for (const leaf of leaves) {
    if (leaf.contains(node)) {
      const before = codePoints(textBefore(leaf, node, offset));
      // The end of a word is not in it.
      if (words && before < codePoints(textOf(leaf))) return atOf(leaf);
      if (!words) return atOf(leaf) + before;
    } else if (range.comparePoint(leaf, 0) >= 0) return atOf(leaf);
  }
  return null;
}

function endPoint(leaves: readonly HTMLElement[], range: Range, words: boolean): number | null {
  const { endContainer: node, endOffset: offset } = range;
  for (const leaf of leaves.toReversed()) {
    const end = atOf(leaf) + codePoints(textOf(leaf));
    if (leaf.contains(node)) {
      const before = codePoints(textBefore(leaf, node, offset));
      if (words && before > 0) return end;
      if (!words) return atOf(leaf) + before;
    } else if (range.comparePoint(leaf, 0) <= 0) return end;
  }
  return null;
}

function atOf(leaf: HTMLElement): number {
  return Number(leaf.dataset.at);
}

function textOf(leaf: HTMLElement): string {
  return leaf.textContent ?? "";
}

function textBefore(leaf: HTMLElement, node: Node, offset: number): string {
  const range = leaf.ownerDocument.createRange();
  range.setStart(leaf, 0);
  range.setEnd(node, offset);
  return range.toString();
}

function firstText(leaf: HTMLElement): Node | null {
  return leaf.ownerDocument.createTreeWalker(leaf, NodeFilter.SHOW_TEXT).nextNode();
}

function utf16(text: string, points: number): number {
  return [...text].slice(0, points).join("").length;
}
