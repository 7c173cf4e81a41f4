import { useCallback, useSyncExternalStore } from "react";

/** Room for a list beside the document. */
export const WIDE = "(min-width: 64rem)";
/** Low and not narrow: a window at 200 % zoom, a phone on its side. The same query as `short` in index.css. */
const SHORT = "(max-height: 34rem) and (min-width: 36rem)";
/** A phone held upright: tools are at the bottom, within the thumb's reach. */
export const PHONE = "(max-width: 35.99rem), (max-width: 47.99rem) and (min-height: 34.01rem)";
/** Pointed at by a finger: a target is 44 px high, and so is each row of a list that has one beside another. */
export const FINGER = "(pointer: coarse)"; // not a text

/** Whether the window is low: then the page keeps its height for the document. */
export const isShort = (): boolean => window.matchMedia?.(SHORT).matches ?? false;

export const useIsShort = (): boolean => useMedia(SHORT);

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
