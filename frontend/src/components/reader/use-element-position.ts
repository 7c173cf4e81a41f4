import { type RefObject, useLayoutEffect, useState } from "react";

/** How far an element begins below the page's top, in pixels, and how wide it is; kept up to date. */
export function useElementPosition(element: RefObject<HTMLElement | null>): { top: number; width: number } {
  const [place, setPlace] = useState({ top: 0, width: 0 });
  useLayoutEffect(() => {
    const measure = () => {
      const box = element.current?.getBoundingClientRect();
      if (!box) return;
      const found = { top: Math.round(box.top + window.scrollY), width: Math.round(box.width) };
      setPlace((before) => (before.top === found.top && before.width === found.width ? before : found));
    };
    measure();
    if (typeof ResizeObserver === "undefined") return;
    // When something above it grows, the page grows, too.
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [element]);
  return place;
}
