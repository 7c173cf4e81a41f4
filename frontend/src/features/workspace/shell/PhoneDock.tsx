import { type ReactNode, useEffect, useRef } from "react";

/**
 * The tools on a phone: at the bottom, above the navigation, or right on the keyboard while that is open. Browsers keep
 * what is fixed to the bottom under the keyboard, so its height is computed from what is visible.
 */
export function PhoneDock({ children }: { children: ReactNode }) {
  const dock = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // The page ends above the dock, so that its last lines can be seen, too.
    const watch = new ResizeObserver(([entry]) => {
      document.body.style.setProperty("--docked", `${Math.round(entry?.borderBoxSize[0]?.blockSize ?? 0)}px`);
    });
    if (dock.current) watch.observe(dock.current);
    return () => {
      watch.disconnect();
      document.body.style.removeProperty("--docked");
    };
  }, []);
  useEffect(() => {
    const viewport = window.visualViewport;
    if (!viewport) return;
    const follow = () => {
      const hidden = document.documentElement.clientHeight - viewport.height - viewport.offsetTop;
      // Zooming in hides more than a keyboard does.
      const keyboard = viewport.scale > 1.01 ? 0 : Math.max(0, hidden);
      dock.current?.style.setProperty("--keyboard", `${Math.round(keyboard)}px`);
    };
    follow();
    viewport.addEventListener("resize", follow);
    viewport.addEventListener("scroll", follow);
    window.addEventListener("resize", follow);
    return () => {
      viewport.removeEventListener("resize", follow);
      viewport.removeEventListener("scroll", follow);
      window.removeEventListener("resize", follow);
    };
  }, []);
  return (
    <div
      ref={dock}
      className="fixed inset-x-0 bottom-[max(3.5rem_+_env(safe-area-inset-bottom),var(--keyboard,0px))] z-30 border-line border-t bg-raised px-2 pb-1 shadow-float"
    >
      {children}
    </div>
  );
}

/** A panel in the dock, in place of the tools. */
export function PhonePanel({ label, children }: { label: string; children: ReactNode }) {
  return (
    <aside data-dock aria-label={label} className="flex max-h-[54dvh] flex-col px-2 pt-2 pb-2">
      {children}
    </aside>
  );
}
