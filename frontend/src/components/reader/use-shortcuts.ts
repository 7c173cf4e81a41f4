import { useEffect, useEffectEvent } from "react";
import { isField } from "./use-copying";

interface Shortcuts {
  onFind: () => void;
  /** Null without a search. */
  onNext: ((step: 1 | -1) => void) | null;
  onSelectAll: () => void;
}

/**
 * The reader's shortcuts, everywhere on the page except in dialogs: Ctrl+F opens the search (the second time, the
 * browser's), F3 and Ctrl+G go to the next match, Ctrl+A selects the document. Cmd works like Ctrl.
 */
export function useShortcuts({ onFind, onNext, onSelectAll }: Shortcuts): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    const { target } = event;
    if (event.defaultPrevented || event.altKey || (target instanceof Element && target.closest("[role$='dialog']")))
      return;
    const held = event.ctrlKey || event.metaKey;
    const key = event.key.toLowerCase();
    const step = event.shiftKey ? -1 : 1;
    if (held && key === "f" && !event.shiftKey) {
      if (target instanceof Element && target.matches("[data-find]")) return;
      onFind();
    } else if (onNext && (key === "f3" || (held && key === "g"))) {
      onNext(step);
    } else if (held && key === "a" && !event.shiftKey && !isField(target)) {
      onSelectAll();
    } else {
      return;
    }
    event.preventDefault();
  });
  useEffect(() => {
    const heard = (event: KeyboardEvent) => press(event);
    document.addEventListener("keydown", heard);
    return () => document.removeEventListener("keydown", heard);
  }, []);
}
