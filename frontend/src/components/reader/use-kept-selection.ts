import { type RefObject, useEffect, useState } from "react";
import { blockOf } from "./dom-offsets";

const NONE: readonly number[] = [];

/**
 * The blocks in which the selection begins and ends, even if it is empty, because Shift+click extends it. They must
 * stay drawn, or the browser loses the selection. The function sets them before they are drawn.
 */
export function useKeptSelection(
  sheet: RefObject<HTMLElement | null>,
): [readonly number[], (blocks: readonly number[]) => void] {
  const [kept, setKept] = useState(NONE);
  useEffect(() => {
    const update = () => {
      const selection = document.getSelection();
      if (!sheet.current || !selection) return;
      const ends = [selection.anchorNode, selection.focusNode];
      const found = ends.map((node) => sheet.current && blockOf(sheet.current, node)).filter((block) => block !== null);
      setKept((before) => (before.join() === found.join() ? before : found));
    };
    document.addEventListener("selectionchange", update);
    return () => document.removeEventListener("selectionchange", update);
  }, [sheet]);
  return [kept, setKept];
}
