/** Notices that a person has dismissed in this browser. */
import { useState } from "react";

/** Whether `person` has dismissed the notice `name`, and a function that dismisses it. */
export function useDismissed(name: string, person: string): [boolean, () => void] {
  const key = `sieve-dismissed:${name}:${person}`;
  const [dismissed, setDismissed] = useState(() => {
    try {
      return localStorage.getItem(key) !== null;
    } catch {
      return false;
    }
  });
  return [
    dismissed,
    () => {
      setDismissed(true);
      try {
        localStorage.setItem(key, "1");
      } catch {
        // Without storage it stays away until the page closes.
      }
    },
  ];
}
