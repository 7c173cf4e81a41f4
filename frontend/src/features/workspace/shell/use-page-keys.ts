import { useEffect, useEffectEvent } from "react";
import { isPressed, type Shortcut } from "./shortcuts";

export type PageActions = Partial<Record<Shortcut, () => void>>;

/** Carries out shortcuts pressed anywhere on the page. Those of a text are bound by its editor. */
export function usePageKeys(actions: PageActions): void {
  const pressed = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented) return;
    for (const name of Object.keys(actions) as Shortcut[]) {
      if (!isPressed(name, event) || isTheFieldsOwn(name, event)) continue;
      event.preventDefault();
      actions[name]?.();
      return;
    }
  });
  useEffect(() => {
    const heard = (event: KeyboardEvent) => pressed(event);
    document.addEventListener("keydown", heard);
    return () => document.removeEventListener("keydown", heard);
  }, []);
}

function isTheFieldsOwn(name: Shortcut, event: KeyboardEvent): boolean {
  if (name === "undo" || name === "redo" || event.key === "?") return isTyping(event.composedPath()[0]);
  // Where our own search is open already, the browser's opens.
  return name === "find" && event.target instanceof Element && event.target.closest(FIND_OR_DIALOG) !== null;
}

const FIND_OR_DIALOG = "[data-find], [role$='dialog']";

/** `target`: where the key was pressed, also in a shadow root, whose host the event would name. */
function isTyping(target: EventTarget | undefined): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches("input, textarea, select"));
}
