/** The view that the address describes, and what changes it. */
import { createContext, useContext, useEffect, useEffectEvent, useState } from "react";
import type { TimingsSearch } from "./timings-search";

/** `change` makes an entry in the browser's history, or else replaces the latest. An undefined member is removed. */
export interface TimingsView {
  search: TimingsSearch;
  change: (
    change: { [Name in keyof TimingsSearch]?: TimingsSearch[Name] | undefined },
    options?: { replace: boolean },
  ) => void;
}

export const TimingsViewContext = createContext<TimingsView>({ search: {}, change: () => {} });

/** The range and the filters of the page, and a function that changes them. */
export function useTimingsView(): TimingsView {
  return useContext(TimingsViewContext);
}

/** So long a value rests before it is in the address: browsers limit how often an address changes. */
const REST_MS = 300;

/** `isHeld`: a pointer still moves it, so it is not in the address yet, however long it rests. */
type SetMoving = (text: string | undefined, isHeld?: boolean) => void;

/**
 * A text of the view that changes with each movement of a pointer: at once for the component, and in the address when it
 * rests. `entries`: each time is an entry in the browser's history, so that going back undoes it.
 */
export function useMovingText(
  name: "zoom" | "if",
  { entries }: { entries: boolean },
): [text: string | undefined, set: SetMoving] {
  const { search, change } = useTimingsView();
  const inAddress = search[name];
  // What is set holds until the address changes: by this, by going back, or by a link.
  const [state, setState] = useState<{ over: string | undefined; moved: { text: string | undefined } | null }>({
    over: inAddress,
    moved: null,
  });
  if (state.over !== inAddress) setState({ over: inAddress, moved: null });
  const current = state.over === inAddress ? state.moved : null;
  const [isHeld, setHeld] = useState(false);
  const write = useEffectEvent((text: string | undefined) => change({ [name]: text }, { replace: !entries }));
  useEffect(() => {
    if (!current || isHeld || current.text === inAddress) return;
    const timer = setTimeout(() => write(current.text), REST_MS);
    return () => clearTimeout(timer);
  }, [current, isHeld, inAddress]);
  const set: SetMoving = (text, held = false) => {
    setHeld(held);
    setState({ over: inAddress, moved: { text } });
  };
  return [current ? current.text : inAddress, set];
}
