import { type RefObject, useEffect } from "react";
import { MARKED_TYPE } from "@/marked-text/marked-type";
import { printSegments } from "@/marked-text/markup";
import { selectedRange } from "./dom-offsets";
import { copiedSegments, type ReaderDocument } from "./reader-document";

/**
 * Copies and drags the selected text exactly, even parts that are not drawn. Adds marked text if some of it is
 * classified, so that pasting keeps the classification.
 */
export function useCopying(sheet: RefObject<HTMLElement | null>, opened: ReaderDocument): void {
  useEffect(() => {
    const fill = (data: DataTransfer | null): boolean => {
      const range = sheet.current && selectedRange(sheet.current, opened);
      if (!range || !data) return false;
      const copied = copiedSegments(opened, range.from, range.to);
      data.clearData();
      data.setData("text/plain", copied.map(({ text }) => text).join(""));
      if (copied.some(({ classified }) => classified)) data.setData(MARKED_TYPE, printSegments(copied));
      return true;
    };
    const copy = (event: ClipboardEvent) => {
      if (!isField(event.target) && fill(event.clipboardData)) event.preventDefault();
    };
    const drag = (event: DragEvent) => {
      if (event.target instanceof Node && sheet.current?.contains(event.target)) fill(event.dataTransfer);
    };
    document.addEventListener("copy", copy);
    document.addEventListener("dragstart", drag);
    return () => {
      document.removeEventListener("copy", copy);
      document.removeEventListener("dragstart", drag);
    };
  }, [sheet, opened]);
}

/** Whether the target takes typed text. */
export function isField(target: EventTarget | null): boolean {
  return target instanceof Element && target.matches("input, textarea, select, [contenteditable='true']");
}
