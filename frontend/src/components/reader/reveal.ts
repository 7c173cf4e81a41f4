/** Scrolls a place of the sheet into view. */

/** What the bars at the top and bottom of the page cover, with some space. */
export const COVERED_ABOVE = 150;
export const COVERED_BELOW = 100;
/** In a low window the head of the page scrolls away. */
const LOW_PX = 544;
const COVERED_ABOVE_IF_LOW = 64;
const MOST_FRAMES = 30;

/**
 * Scrolls until `find` returns its element and it is in view. `approach` scrolls near it, because distant text is not
 * drawn yet and its exact position is unknown. Returns a function that stops.
 *
 * @param coveredBelow how much of the bottom of the window is covered, in px
 */
export function reveal(find: () => Element | null, approach: () => void, coveredBelow = COVERED_BELOW): () => void {
  let frame = 0;
  let frames = 0;
  let still = 0;
  const step = () => {
    const box = find()?.getClientRects()[0];
    if (!box) approach();
    else if (isInView(box, coveredBelow)) still += 1;
    else {
      still = 0;
      window.scrollBy({
        top: box.top - Math.max(coveredAbove(), (window.innerHeight - coveredBelow) / 3),
        behavior: "instant",
      });
    }
    frames += 1;
    if (still < 2 && frames < MOST_FRAMES) frame = requestAnimationFrame(step);
  };
  step();
  return () => cancelAnimationFrame(frame);
}

function coveredAbove(): number {
  return window.innerHeight <= LOW_PX ? COVERED_ABOVE_IF_LOW : COVERED_ABOVE;
}

function isInView({ top, bottom }: DOMRect, coveredBelow: number): boolean {
  return top >= coveredAbove() && bottom <= window.innerHeight - coveredBelow;
}
