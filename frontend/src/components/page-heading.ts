/** Where the focus goes after a navigation, and what the browser's tab says. */
import { createContext, type RefObject, useContext, useEffect, useLayoutEffect, useRef } from "react";

/** What is behind each page's title: the gateway's name, once it is known. */
export const SiteName = createContext("Security Sieve");

const mounted = new Set<HTMLElement>();
let awaited = false;

/** Moves the focus to the page's heading: now, or, while a page still loads, to the next one that appears. */
export function focusHeading(): void {
  const heading = [...mounted].at(-1);
  if (heading) focus(heading);
  awaited = !heading;
}

/** For the component that draws the page's `h1`. */
export function usePageHeading(title: string): { ref: RefObject<HTMLHeadingElement | null>; documentTitle: string } {
  const ref = useRef<HTMLHeadingElement>(null);
  const site = useContext(SiteName);
  useEffect(() => {
    const heading = ref.current;
    if (!heading) return;
    mounted.add(heading);
    if (awaited) {
      awaited = false;
      focus(heading);
    }
    return () => {
      mounted.delete(heading);
    };
  }, []);
  // The heading of a page that loads gives way to that of what was loaded, and its focus with it.
  useLayoutEffect(() => {
    const heading = ref.current;
    return () => {
      if (heading === document.activeElement) awaited = true;
    };
  }, []);
  return { ref, documentTitle: `${title} · ${site}` };
}

function focus(heading: HTMLElement): void {
  // A page that has put the focus into a field of its own knows better.
  if (heading.closest("main")?.contains(document.activeElement)) return;
  heading.focus({ preventScroll: true });
}
