import type { ReactNode } from "react";

/** A panel over a corner of the page, where there is no room beside the view. What is brought into view comes above it. */
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

/** How much of the window's foot is covered by it, in px; 0 if it is not there. */
export function dockedBelow(): number {
  const dock = document.querySelector("[data-dock]");
  // At the side of a wide window the text is not under it.
  if (!dock || window.innerWidth >= SIDE_BY_SIDE) return 0;
  return Math.max(0, window.innerHeight - dock.getBoundingClientRect().top);
}

const SIDE_BY_SIDE = 1280;
