/** The focus after a navigation, and the title of the browser's tab. */
import { createContext, type RefObject, useContext, useEffect, useLayoutEffect, useRef } from "react";

/** The second part of each tab's title: the gateway's name once it is loaded. */
export const SiteName = createContext("Security Sieve");

/** How many unread documents the tab's title shows. */
export const UnreadCount = createContext(0);

const mounted = new Set<HTMLElement>();
let awaited = false;

/** Moves the focus to the page's heading; while a page loads, to the next heading that appears. */
export function focusHeading(): void {
  const heading = [...mounted].at(-1);
  if (heading) focus(heading);
  awaited = !heading;
}

/** For the component that draws the page's `h1`. */
export function usePageHeading(title: string): { ref: RefObject<HTMLHeadingElement | null>; documentTitle: string } {
  const ref = useRef<HTMLHeadingElement>(null);
  const site = useContext(SiteName);
  const unread = useContext(UnreadCount);
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
  // A loading page passes the focus on to the heading of the loaded page.
  useLayoutEffect(() => {
    const heading = ref.current;
    return () => {
      if (heading === document.activeElement) awaited = true;
    };
  }, []);
  const documentTitle = `${title} · ${site}`;
  return { ref, documentTitle: unread > 0 ? `(${unread}) ${documentTitle}` : documentTitle };
}

function focus(heading: HTMLElement): void {
  // Leaves the focus in a field that the page itself has focused.
  if (heading.closest("main")?.contains(document.activeElement)) return;
  heading.focus({ preventScroll: true });
}
