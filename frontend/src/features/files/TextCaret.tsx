import { type RefObject, useEffect, useRef } from "react";

/** The cursor in read-only text, which browsers do not draw. It is shown while the text has the focus. */
export function TextCaret({ root }: { root: RefObject<HTMLElement | null> }) {
  const caret = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    const draw = () => {
      const { current } = caret;
      if (!current) return;
      const box = caretBox(root.current);
      current.hidden = box === null;
      if (!box) return;
      current.style.setProperty("translate", `${box.left}px ${box.top}px`);
      current.style.setProperty("height", `${box.height}px`);
    };
    document.addEventListener("selectionchange", draw);
    document.addEventListener("focusin", draw);
    document.addEventListener("focusout", draw);
    return () => {
      document.removeEventListener("selectionchange", draw);
      document.removeEventListener("focusin", draw);
      document.removeEventListener("focusout", draw);
    };
  }, [root]);
  return (
    <span ref={caret} aria-hidden hidden className="pointer-events-none absolute top-0 left-0 z-10 w-0.5 bg-focus" />
  );
}

/** The cursor's box within `root`; null if there is none. */
function caretBox(root: HTMLElement | null): { left: number; top: number; height: number } | null {
  const selection = document.getSelection();
  if (!root || !selection?.isCollapsed || !selection.focusNode || !root.contains(selection.focusNode)) return null;
  if (!root.contains(document.activeElement)) return null;
  // Browsers put it into headings and summaries, too, where they are clicked.
  const node = selection.focusNode;
  const element = node instanceof Element ? node : node.parentElement;
  if (!element?.closest("[role=document]")) return null;
  const [box] = selection.getRangeAt(0).getClientRects();
  if (!box || box.height === 0) return null;
  const around = root.getBoundingClientRect();
  return { left: box.left - around.left, top: box.top - around.top, height: box.height };
}
