/**
 * The one-time code of a link to /welcome. It is in the address's fragment, which browsers do not send to servers. The
 * app removes it from the address bar first of all, so that neither the history nor a bystander has it.
 */
import { useSyncExternalStore } from "react";

let code: string | null = null;
const listeners = new Set<() => void>();

/** Takes the code from the address, now and whenever this tab opens another link. Call it once, first of all. */
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
