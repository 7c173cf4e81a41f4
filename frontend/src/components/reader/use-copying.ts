import { type RefObject, useEffect } from "react";
import { MARKED_TYPE } from "@/marked-text/marked-type";
import { printSegments } from "@/marked-text/markup";
import { selectedRange } from "./dom-offsets";
import { copiedSegments, type ReaderDocument } from "./reader-document";

/**
 * What is selected in the sheet leaves as the document has it, also what is not drawn at the moment. What of it is
 * classified also leaves as marked text, so that it keeps its classification when it is pasted into a document.
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

/** Whether typing goes there. */
export function isField(target: EventTarget | null): boolean {
  return target instanceof Element && target.matches("input, textarea, select, [contenteditable='true']");
}
