/**
 * The one-time code of a link to /welcome. It comes in the address's fragment, which no server sees, and is taken out of
 * the address bar before anything else happens, so that neither history nor a shoulder keeps it.
 */
import { useSyncExternalStore } from "react";

let code: string | null = null;
const listeners = new Set<() => void>();

/** Takes the code out of the address, now and whenever another link is opened in this tab. Called once, first of all. */
export function watchLinkCode(): void {
  take();
  window.addEventListener("hashchange", take);
}

/** The code, or null if there was none. */
export function useLinkCode(): string | null {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => code,
  );
}

function take(): void {
  if (window.location.pathname !== "/welcome" || window.location.hash.length < 2) return;
  code = window.location.hash.slice(1);
  window.history.replaceState(window.history.state, "", "/welcome");
  for (const listener of listeners) listener();
}
