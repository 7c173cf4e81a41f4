import { type RefObject, useEffect, useRef } from "react";

/**
 * Whether the dialog or page that sent a request is still open, for when the answer arrives: false once `open` is false
 * or the page is left.
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
