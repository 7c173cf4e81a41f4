import { type RefObject, useEffect } from "react";
import { MARKER } from "@/api/catalogue";
import { MARKED_TYPE } from "@/marked-text/marked-type";
import { printSegments, type Segment } from "@/marked-text/markup";

/** What is classified, and what is withheld, in documents that are drawn as elements. */
const CLASSIFIED = "mark.classified, .pdf-marked, [data-own]";
// not a text
const BLOCKS = "p, li, tr, pre, h1, h2, h3, h4, h5, h6, blockquote, br, .pdf-page";

/** Copies the selected text of `root` with its classification, so that pasting keeps it. */
export function useMarkedCopy(root: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const copy = (event: ClipboardEvent) => {
      const selection = document.getSelection();
      const range = selection && selection.rangeCount > 0 ? selection.getRangeAt(0) : null;
      if (!root.current || !range || range.collapsed || !root.current.contains(range.commonAncestorContainer)) return;
      const segments = segmentsOf(range);
      if (!event.clipboardData || segments.length === 0) return;
      event.clipboardData.setData("text/plain", segments.map(({ text }) => text).join(""));
      if (segments.some(({ classified }) => classified)) {
        event.clipboardData.setData(MARKED_TYPE, printSegments(segments));
      }
      event.preventDefault();
    };
    document.addEventListener("copy", copy);
    return () => document.removeEventListener("copy", copy);
  }, [root]);
}

/** The text of a range, a line for each block. */
export function segmentsOf(range: Range): Segment[] {
  const around = range.commonAncestorContainer;
  const within = around instanceof Element ? around : around.parentElement;
  const isWithin = within?.closest(CLASSIFIED) != null;
  const segments: { text: string; classified: boolean }[] = [];
  const add = (text: string, classified: boolean) => {
    const last = segments.at(-1);
    if (last && last.classified === classified) last.text += text;
    else if (text !== "") segments.push({ text, classified });
  };
  const visit = (node: Node, classified: boolean) => {
    if (node instanceof Text) return add(node.data, classified);
    if (node instanceof Element) {
      // Words for screen readers, and buttons, are no text of the document.
      if (node.matches(".sr-only, button, [aria-hidden]")) return;
      if (node.matches(".withheld")) return add(MARKER, false);
      if (node.matches(BLOCKS) && segments.length > 0) add("\n", false);
      if (node.matches("td, th") && node.previousElementSibling) add("\t", false);
    }
    const inside = classified || (node instanceof Element && node.matches(CLASSIFIED));
    for (const child of node.childNodes) visit(child, inside);
  };
  visit(range.cloneContents(), isWithin);
  return segments;
}
