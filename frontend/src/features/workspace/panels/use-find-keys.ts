import { useEffect, useEffectEvent } from "react";

/** While something is looked for, F3 and Mod-G go to the next place from anywhere on the page, with Shift to the one before. */
export function useFindKeys(onStep: (direction: 1 | -1) => void): void {
  const pressed = useEffectEvent((event: KeyboardEvent) => {
    const isNext = event.key === "F3" || ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "g");
    if (event.defaultPrevented || event.altKey || !isNext) return;
    event.preventDefault();
    onStep(event.shiftKey ? -1 : 1);
  });
  useEffect(() => {
    const heard = (event: KeyboardEvent) => pressed(event);
    document.addEventListener("keydown", heard);
    return () => document.removeEventListener("keydown", heard);
  }, []);
}
