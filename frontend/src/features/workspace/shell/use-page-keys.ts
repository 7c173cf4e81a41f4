import { useEffect, useEffectEvent } from "react";

interface PageKeys {
  onSave: () => void;
  onHelp: () => void;
  onFind: () => void;
  onFinding: () => void;
}

/** The keys of the page; those of the text are the editor's. */
export function usePageKeys(keys: PageKeys): void {
  const pressed = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || event.altKey) return;
    const command = event.ctrlKey || event.metaKey;
    if (command && !event.shiftKey && event.key.toLowerCase() === "s") {
      event.preventDefault();
      keys.onSave();
    } else if (command && !event.shiftKey && event.key.toLowerCase() === "f") {
      // A second time, the browser finds.
      if (event.target instanceof Element && event.target.closest("[data-find], [role$='dialog']")) return;
      event.preventDefault();
      keys.onFind();
    } else if (command && event.key === "F8") {
      event.preventDefault();
      keys.onFinding();
    } else if (
      (command && event.key === "/") ||
      (!command && event.key === "?" && !isTyping(event.composedPath()[0]))
    ) {
      event.preventDefault();
      keys.onHelp();
    }
  });
  useEffect(() => {
    document.addEventListener("keydown", pressed);
    return () => document.removeEventListener("keydown", pressed);
  }, []);
}

/** `target`: where the key was pressed, also if that is in a shadow root, whose host the event would name. */
function isTyping(target: EventTarget | undefined): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches("input, textarea, select"));
}
