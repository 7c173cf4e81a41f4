import { plural, t } from "@lingui/core/macro";
import { type ReactNode, type Ref, type RefObject, useEffect, useEffectEvent, useState } from "react";
import { isShort } from "@/components/use-media";
import { cx } from "@/lib/cx";

interface BubbleBoxProps {
  ref: Ref<HTMLFieldSetElement>;
  /** Over the text; otherwise where it is in the page. */
  floating?: boolean;
  children: ReactNode;
}

/** Buttons at a selection. */
export function BubbleBox({ ref, floating = true, children }: BubbleBoxProps) {
  return (
    <fieldset
      ref={ref}
      aria-label={t`The selection`}
      className={cx(
        "flex gap-0.5 rounded-md bg-raised p-1 forced-colors:border",
        floating ? "absolute top-0 left-0 z-10 shadow-float" : "w-fit shadow-sheet",
      )}
    >
      {children}
    </fieldset>
  );
}

interface BubbleButtonProps {
  icon: ReactNode;
  onClick: () => void;
  /** Gives the focus back to the text. */
  onBack: () => void;
  children: string;
}

/** A button that leaves the selection as it is. */
export function BubbleButton({ icon, onClick, onBack, children }: BubbleButtonProps) {
  return (
    <button
      type="button"
      onMouseDown={(event) => event.preventDefault()}
      onClick={() => {
        onClick();
        onBack();
      }}
      onKeyDown={(event) => event.key === "Escape" && onBack()}
      className="flex h-8 items-center gap-2 whitespace-nowrap rounded-sm px-3 font-medium text-sm hover:bg-ink/8 [&_svg]:size-4"
    >
      {icon}
      {children}
    </button>
  );
}

/** The words of the button that marks the other places of the selected text. */
export function othersText(count: number): string {
  return plural(count, { one: "Also mark # other", other: "Also mark # others" });
}

const GAP = 8;
/** What sticks to the top of the window covers this much, and less in a low one. */
const COVERED = 128;
const COVERED_IF_SHORT = 52;

/** Where a selection begins and ends in the window. */
export interface SelectionEnds {
  readonly start: { readonly left: number; readonly top: number; readonly bottom: number };
  readonly end: { readonly right: number; readonly top: number; readonly bottom: number };
}

/**
 * Moves a box, within `paper`, above the selection's start, or under its end where that is covered. `covered`: from the
 * top of the window, in px.
 */
export function placeBubble(
  box: HTMLElement,
  paper: DOMRect,
  { start, end }: SelectionEnds,
  covered = isShort() ? COVERED_IF_SHORT : COVERED,
): void {
  const above = start.top - box.offsetHeight - GAP;
  const under = end.bottom + GAP;
  const top = above >= covered || under > window.innerHeight - covered ? Math.max(above, covered) : under;
  const sameLine = end.top < start.bottom;
  const middle = sameLine ? (start.left + end.right) / 2 : start.left + box.offsetWidth / 2;
  const left = Math.min(Math.max(middle - paper.left - box.offsetWidth / 2, GAP), paper.width - box.offsetWidth - GAP);
  box.style.translate = `${Math.round(left)}px ${Math.round(top - paper.top)}px`;
}

/** Whether the mouse is down in the text: the bubble must not cover text that is being selected. */
export function useIsSelecting(text: RefObject<HTMLElement | null>): boolean {
  const [selecting, setSelecting] = useState(false);
  useEffect(() => {
    const paper = text.current;
    const down = (event: PointerEvent) => {
      if (!(event.target instanceof Element && event.target.closest("button"))) setSelecting(true);
    };
    const up = () => setSelecting(false);
    paper?.addEventListener("pointerdown", down);
    window.addEventListener("pointerup", up);
    window.addEventListener("pointercancel", up);
    return () => {
      paper?.removeEventListener("pointerdown", down);
      window.removeEventListener("pointerup", up);
      window.removeEventListener("pointercancel", up);
    };
  }, [text]);
  return selecting;
}

/** Whether the focus is in the text or in the bubble. `contains`: whether they have that node. */
export function useHasFocus(contains: (node: Node) => boolean): boolean {
  const [within, setWithin] = useState(false);
  const look = useEffectEvent((target: EventTarget | null) => setWithin(target instanceof Node && contains(target)));
  useEffect(() => {
    const came = ({ target }: FocusEvent) => look(target);
    const went = ({ relatedTarget }: FocusEvent) => look(relatedTarget);
    document.addEventListener("focusin", came);
    document.addEventListener("focusout", went);
    return () => {
      document.removeEventListener("focusin", came);
      document.removeEventListener("focusout", went);
    };
  }, []);
  return within;
}
