import { type RefObject, useEffect, useState } from "react";
import { blockOf } from "./dom-offsets";

const NONE: readonly number[] = [];

/**
 * The blocks in which the selection begins and ends, though it be empty: a click with Shift goes on from there. They are to stay drawn wherever the page is scrolled to, or the
 * browser would lose the selection. The second: says so before they are drawn.
 */
export function useKeptSelection(
  sheet: RefObject<HTMLElement | null>,
): [readonly number[], (blocks: readonly number[]) => void] {
  const [kept, setKept] = useState(NONE);
  useEffect(() => {
    const look = () => {
      const selection = document.getSelection();
      if (!sheet.current || !selection) return;
      const ends = [selection.anchorNode, selection.focusNode];
      const found = ends.map((node) => sheet.current && blockOf(sheet.current, node)).filter((block) => block !== null);
      setKept((before) => (before.join() === found.join() ? before : found));
    };
    document.addEventListener("selectionchange", look);
    return () => document.removeEventListener("selectionchange", look);
  }, [sheet]);
  return [kept, setKept];
}
