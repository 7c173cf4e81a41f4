/** The focus after a navigation, and the title of the browser's tab. */
import { createContext, type RefObject, useContext, useEffect, useLayoutEffect, useRef } from "react";

/** The second part of each tab's title: the gateway's name once it is loaded. */
export const SiteName = createContext("Security Sieve");

/** How many unread documents the tab's title shows. */
export const UnreadCount = createContext(0);

const mounted = new Set<HTMLElement>();
let awaited = false;

/** Moves the focus to the page's heading; while a page loads, into the page and then to the next heading that appears. */
export function focusHeading(): void {
  // Those of a page that was just left are forgotten a moment later.
  const heading = [...mounted].findLast(({ isConnected }) => isConnected);
  awaited = !heading;
  const main = document.querySelector("main");
  if (heading) focus(heading);
  else if (main && !main.contains(document.activeElement)) main.focus({ preventScroll: true });
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
  // A loading page passes the focus on to the heading of the loaded page. It waits in the page: what has it when it is
  // removed loses it to the top of the window.
  useLayoutEffect(() => {
    const heading = ref.current;
    if (!heading) return;
    // The heading was only hidden while something on its page loaded.
    if (awaited && mounted.has(heading)) {
      awaited = false;
      focus(heading);
    }
    return () => {
      if (heading !== document.activeElement) return;
      awaited = true;
      heading.closest("main")?.focus({ preventScroll: true });
    };
  }, []);
  const documentTitle = `${title} · ${site}`;
  return { ref, documentTitle: unread > 0 ? `(${unread}) ${documentTitle}` : documentTitle };
}

function focus(heading: HTMLElement): void {
  // Leaves the focus in a field that the page itself has focused.
  const main = heading.closest("main");
  if (main !== document.activeElement && main?.contains(document.activeElement)) return;
  heading.focus({ preventScroll: true });
}
