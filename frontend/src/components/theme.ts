import { useSyncExternalStore } from "react";

export type Theme = "system" | "light" | "dark";

const KEY = "sieve-theme";
const listeners = new Set<() => void>();

/** The theme, and a function that sets it. See public/theme.js. */
export function useTheme(): [Theme, (theme: Theme) => void] {
  return [useSyncExternalStore(subscribe, current), choose];
}

function current(): Theme {
  const chosen = document.documentElement.dataset.theme;
  return chosen === "light" || chosen === "dark" ? chosen : "system";
}

function choose(theme: Theme): void {
  show(theme);
  try {
    if (theme === "system") localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, theme);
  } catch {
    // Without storage the choice lasts until the page closes.
  }
}

function show(theme: string | null): void {
  const root = document.documentElement;
  if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  else delete root.dataset.theme;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  const elsewhere = (event: StorageEvent) => event.key === KEY && show(event.newValue);
  listeners.add(listener);
  window.addEventListener("storage", elsewhere);
  return () => {
    listeners.delete(listener);
    window.removeEventListener("storage", elsewhere);
  };
}
