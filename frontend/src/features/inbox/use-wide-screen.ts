import { useSyncExternalStore } from "react";

const WIDE = "(min-width: 64rem)";

/** Whether a column fits beside the document. */
export function useWideScreen(): boolean {
  return useSyncExternalStore(
    (changed) => {
      const query = window.matchMedia?.(WIDE);
      query?.addEventListener("change", changed);
      return () => query?.removeEventListener("change", changed);
    },
    () => window.matchMedia?.(WIDE).matches ?? true,
  );
}
