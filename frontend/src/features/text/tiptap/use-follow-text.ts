import { type RefObject, useEffect, useRef } from "react";
import { useOpenText } from "./open-text";
import type { PlainBlock } from "./plain-blocks";
import { heldAt } from "./plain-place";
import { type Seen, seenAt, showAt } from "./seen-text";

/** Distant text is not drawn yet, and its height is known only once it is. */
const MOST_FRAMES = 6;
const BY_HAND_PX = 2;

/**
 * Has the pane show the part of the plain stream that is seen of the text beside it, whenever the page is scrolled; the
 * other way nothing follows. Without a text beside it, it begins at `start`.
 */
export function useFollowText(
  scroller: RefObject<HTMLElement | null>,
  blocks: readonly PlainBlock[],
  beside: boolean,
  start: Seen | null,
): void {
  const { editor } = useOpenText();
  /** Where it was left; if it is elsewhere, somebody has scrolled it. */
  const left = useRef(0);
  const begun = useRef(false);

  useEffect(() => {
    const pane = scroller.current;
    if (!pane) return;
    let frame = 0;
    let frames = 0;
    const align = () => {
      frame = 0;
      const box = pane.getBoundingClientRect();
      let moved = 0;
      if (beside) {
        if (editor.isDestroyed) return;
        const top = pane.parentElement?.getBoundingClientRect().top ?? box.top;
        const most = document.documentElement.scrollHeight - window.innerHeight;
        const held = heldAt(window.scrollY, most, window.innerHeight);
        const seen = seenAt(editor, top + held * (box.bottom - top));
        moved = showAt(pane, blocks, seen, box.top + held * box.height);
      } else if (start) moved = showAt(pane, blocks, start, box.top);
      left.current = pane.scrollTop;
      begun.current = true;
      frames += 1;
      if (Math.abs(moved) >= 1 && frames < MOST_FRAMES) frame = requestAnimationFrame(align);
    };
    const later = () => {
      frames = 0;
      frame ||= requestAnimationFrame(align);
    };
    const byHand = Math.abs(pane.scrollTop - left.current) > BY_HAND_PX;
    if (beside ? !byHand : !begun.current) later();
    if (!beside) return () => cancelAnimationFrame(frame);
    window.addEventListener("scroll", later, { passive: true });
    window.addEventListener("resize", later);
    return () => {
      cancelAnimationFrame(frame);
      window.removeEventListener("scroll", later);
      window.removeEventListener("resize", later);
    };
  }, [scroller, blocks, editor, beside, start]);
}
