import { type ReactNode, useEffect, useRef } from "react";

/**
 * A panel over a corner of the page where there is no room beside the text. It takes nothing away: one writes, scrolls
 * and marks on. What is brought into view comes above it.
 */
export function Dock({ label, children }: { label: string; children: ReactNode }) {
  return (
    <aside
      data-dock
      aria-label={label}
      className="fixed right-4 bottom-12 z-20 flex max-h-[min(36rem,64dvh)] w-[25rem] flex-col rounded-lg bg-raised p-4 shadow-float forced-colors:border"
    >
      {children}
    </aside>
  );
}

/** The same on a phone: at the foot, in place of the tools. */
export function PhonePanel({ label, children }: { label: string; children: ReactNode }) {
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    // The page ends above it, so that its last lines can be seen, too.
    const watch = new ResizeObserver(([entry]) => {
      document.body.style.setProperty("--docked", `${Math.round(entry?.borderBoxSize[0]?.blockSize ?? 0)}px`);
    });
    if (panel.current) watch.observe(panel.current);
    return () => {
      watch.disconnect();
      document.body.style.removeProperty("--docked");
    };
  }, []);
  return (
    <aside ref={panel} data-dock aria-label={label} className="flex max-h-[54dvh] flex-col px-2 pt-2 pb-2">
      {children}
    </aside>
  );
}

/** How much of the window's foot is covered by it, in px; 0 if it is not there. */
export function dockedBelow(): number {
  const dock = document.querySelector("[data-dock]");
  // At the side of a wide window the text is not under it.
  if (!dock || window.innerWidth >= SIDE_BY_SIDE) return 0;
  return Math.max(0, window.innerHeight - dock.getBoundingClientRect().top);
}

const SIDE_BY_SIDE = 1280;
