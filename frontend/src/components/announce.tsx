import { useEffect, useRef } from "react";

type Listener = (text: string) => void;
const listeners = new Set<Listener>();

/** Announces `text` to screen readers, after the current announcement. For changes that are otherwise only visible. */
export function announce(text: string): void {
  for (const listener of listeners) listener(text);
}

/** The only polite live region. Render it once. */
export function Announcer() {
  const region = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const say: Listener = (text) => {
      // Each text gets its own line, so that repeated and simultaneous texts are all announced.
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
  // Not atomic: a new line must not repeat the earlier ones.
  return <div ref={region} role="status" aria-live="polite" aria-atomic={false} className="sr-only" />;
}
