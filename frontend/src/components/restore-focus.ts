/**
 * Moves the focus when the element that had it is gone, such as a button that removed itself: to the panel or dialog
 * around it, else to the page's heading. Invariant: code that moves the focus itself, at once or a frame later, wins.
 */
import { focusHeading } from "./page-heading";

/** Elements that may get the focus: panels, sections, dialogs. For the whole page it is the heading. */
const FOCUSABLE = "[tabindex]:not(main, body)";

/** Watches the page until the returned function is called. Call it once. */
export function restoreFocus(): () => void {
  let last: Element | null = null;
  /** The ancestors of `last`, nearest first: they cannot be found once it is removed. */
  let around: readonly Element[] = [];
  let frame = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const focusIn = ({ target }: FocusEvent) => {
    if (!(target instanceof Element)) return;
    last = target;
    around = ancestorsOf(target);
  };
  const focusOut = () => {
    // Some browsers also fire this for elements that are being removed; only afterwards is it known which.
    queueMicrotask(() => {
      if (last?.isConnected && document.activeElement === document.body) last = null;
    });
  };
  const forget = () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
  const changed = () => {
    if (last === null || last.isConnected) return;
    const places = around;
    last = null;
    // Dialogs return the focus, and pages move it, in the same frame.
    forget();
    frame = requestAnimationFrame(() => {
      timer = setTimeout(() => {
        if (document.activeElement !== document.body) return;
        const place = places.find((one) => one.isConnected && one.matches(FOCUSABLE));
        if (place instanceof HTMLElement) place.focus({ preventScroll: true });
        else focusHeading();
      });
    });
  };
  const observer = new MutationObserver(changed);
  observer.observe(document.body, { childList: true, subtree: true });
  document.addEventListener("focusin", focusIn);
  document.addEventListener("focusout", focusOut);
  return () => {
    forget();
    observer.disconnect();
    document.removeEventListener("focusin", focusIn);
    document.removeEventListener("focusout", focusOut);
  };
}

function ancestorsOf(element: Element): Element[] {
  const found: Element[] = [];
  for (let one = element.parentElement; one; one = one.parentElement) found.push(one);
  return found;
}
