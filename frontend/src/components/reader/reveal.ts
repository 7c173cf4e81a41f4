/** Bringing a place of the sheet into view. */

/** What the bars at the top and at the foot of the page cover, and some air. */
const COVERED_ABOVE = 150;
export const COVERED_BELOW = 100;
const MOST_FRAMES = 30;

/**
 * Scrolls until `find` finds its element and it is in view. `approach` scrolls near it: what is far away is not
 * drawn yet, and how far exactly is known only when it is. Returns what gives up.
 *
 * @param coveredBelow what covers the foot of the window, in px
 */
export function reveal(find: () => Element | null, approach: () => void, coveredBelow = COVERED_BELOW): () => void {
  let frame = 0;
  let frames = 0;
  let still = 0;
  const look = () => {
    const box = find()?.getClientRects()[0];
    if (!box) approach();
    else if (isInView(box, coveredBelow)) still += 1;
    else {
      still = 0;
      window.scrollBy({
        top: box.top - Math.max(COVERED_ABOVE, (window.innerHeight - coveredBelow) / 3),
        behavior: "instant",
      });
    }
    frames += 1;
    if (still < 2 && frames < MOST_FRAMES) frame = requestAnimationFrame(look);
  };
  look();
  return () => cancelAnimationFrame(frame);
}

function isInView({ top, bottom }: DOMRect, coveredBelow: number): boolean {
  return top >= COVERED_ABOVE && bottom <= window.innerHeight - coveredBelow;
}
