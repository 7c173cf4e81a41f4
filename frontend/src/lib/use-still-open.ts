import { type RefObject, useEffect, useRef } from "react";

/**
 * Whether what asked is still before who asked, for when the answer comes: false once it is closed (`open`), or its page
 * is left.
 */
export function useStillThere(open = true): RefObject<boolean> {
  const there = useRef(open);
  useEffect(() => {
    there.current = open;
    return () => {
      there.current = false;
    };
  }, [open]);
  return there;
}
