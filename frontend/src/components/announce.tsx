import { useEffect, useRef } from "react";

type Listener = (text: string) => void;
const listeners = new Set<Listener>();

/** Says `text` to screen readers, once the current one has ended. For what the eye sees happen by itself. */
export function announce(text: string): void {
  for (const listener of listeners) listener(text);
}

/** The one polite live region; once, in the app. */
export function Announcer() {
  const region = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const say: Listener = (text) => {
      // A line of its own for each: the same text twice is said twice, and two at once are both said.
      const line = document.createElement("p");
      line.textContent = text;
      region.current?.append(line);
      setTimeout(() => line.remove(), 5000);
    };
    listeners.add(say);
    return () => {
      listeners.delete(say);
    };
  }, []);
  // Each line alone: a status is otherwise read as a whole, with what was said before.
  return <div ref={region} role="status" aria-live="polite" aria-atomic={false} className="sr-only" />;
}
