import { type RefObject, useEffect, useRef } from "react";

/**
 * Whether what asked is still before who asked, for when the answer comes: false once it is closed (`open`), or its page
 * is left.
 */
export function useStillOpen(open = true): RefObject<boolean> {
  const stillOpen = useRef(open);
  useEffect(() => {
    stillOpen.current = open;
    return () => {
      stillOpen.current = false;
    };
  }, [open]);
  return stillOpen;
}
