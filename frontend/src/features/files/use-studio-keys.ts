import { useEffect, useEffectEvent } from "react";
import { useStudio } from "./studio";

/** The keys of the page. In a field, Undo and the letters are the field's own. */
export function useStudioKeys({ onHelp }: { onHelp: () => void }): void {
  const studio = useStudio();
  const pressed = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || event.altKey) return;
    const command = event.ctrlKey || event.metaKey;
    const key = event.key.toLowerCase();
    const field = event.target instanceof HTMLElement && event.target.matches("input, textarea, select");
    const deed =
      command && event.shiftKey && key === "s"
        ? () => studio.toggle()
        : command && !event.shiftKey && key === "s"
          ? () => void studio.saver.flush()
          : command && !event.shiftKey && key === "z" && !field
            ? () => studio.undo()
            : command && (key === "y" || (event.shiftKey && key === "z")) && !field
              ? () => studio.redo()
              : (command && key === "/") || (!command && key === "?" && !field)
                ? onHelp
                : null;
    if (!deed) return;
    event.preventDefault();
    deed();
  });
  useEffect(() => {
    document.addEventListener("keydown", pressed);
    return () => document.removeEventListener("keydown", pressed);
  }, []);
}
