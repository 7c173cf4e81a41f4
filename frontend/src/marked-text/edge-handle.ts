/** What the handles at the edges of a span have in common, whichever editor they hang in: their place, and what a click is. */

import type { Edge } from "./edge-steps";

/** The width of the visible part of a handle. */
const KNOB = 13;
/** A press that moves less is a click into the text. */
const STILL = 4;

/** Where a handle was pressed, on the screen. */
export interface Press {
  readonly startX: number;
  readonly startY: number;
  /** Whether it has moved since. */
  readonly moved: boolean;
}

export function isStill({ moved, startX, startY }: Press, { clientX, clientY }: MouseLike): boolean {
  return !moved && Math.hypot(clientX - startX, clientY - startY) < STILL;
}

interface MouseLike {
  readonly clientX: number;
  readonly clientY: number;
}

/** Places it below its edge and on the sheet; its visible part is always at the edge. */
export function hang(
  handle: HTMLElement,
  sheet: { readonly left: number; readonly top: number; readonly width: number },
  at: { readonly left: number; readonly bottom: number },
  edge: Edge,
): void {
  const x = at.left - sheet.left;
  const size = handle.offsetWidth;
  const left = Math.max(0, Math.min(edge === "start" ? x - size : x, sheet.width - size));
  handle.style.translate = `${Math.round(left)}px ${Math.round(at.bottom - sheet.top)}px`;
  handle.style.setProperty("--knob", `${Math.round(x - left - (edge === "start" ? KNOB : 0))}px`);
}
