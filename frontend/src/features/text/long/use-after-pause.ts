import { useEffect, useState } from "react";
import type { LargeEditor } from "./engine/editor";

const PAUSE_MS = 150;

/** Grows a moment after the last change of text or spans: what the page works out anew then holds up no key. */
export function useAfterPause(editor: LargeEditor): number {
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    let timer = 0;
    const stop = editor.onChange(() => {
      window.clearTimeout(timer);
      timer = window.setTimeout(() => setTurn((before) => before + 1), PAUSE_MS);
    });
    return () => {
      stop();
      window.clearTimeout(timer);
    };
  }, [editor]);
  return turn;
}
