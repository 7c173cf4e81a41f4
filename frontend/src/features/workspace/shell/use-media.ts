import { useCallback, useSyncExternalStore } from "react";

/** Room for the spans beside the text. */
export const WIDE = "(min-width: 64rem)";
/** A phone: tools are at the bottom, within the thumb's reach. */
export const PHONE = "(max-width: 47.99rem)";
/** Pointed at by a finger: a target is 44 px high, and so is each row of a list that has one beside another. */
export const FINGER = "(pointer: coarse)";

/** Whether the media query holds now. */
export function useMedia(query: string): boolean {
  const subscribe = useCallback(
    (changed: () => void) => {
      const list = window.matchMedia?.(query);
      list?.addEventListener("change", changed);
      return () => list?.removeEventListener("change", changed);
    },
    [query],
  );
  return useSyncExternalStore(subscribe, () => window.matchMedia?.(query).matches ?? false);
}
