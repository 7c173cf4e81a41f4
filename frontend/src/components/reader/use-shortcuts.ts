import { useEffect, useEffectEvent } from "react";
import { isField } from "./use-copying";

interface Shortcuts {
  onFind: () => void;
  /** Null while nothing is looked for. */
  onNext: ((step: 1 | -1) => void) | null;
  onSelectAll: () => void;
}

/**
 * The keys of the reader, wherever the focus is on the page, but for dialogs: Ctrl or Cmd with F finds (a second time,
 * the browser does), F3 or Ctrl-G go on, Ctrl-A selects the document.
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
