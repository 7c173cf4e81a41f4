/**
 * Highlights of text in the page. The browser draws them over the text and changes no element, so that a selection, an
 * editor and a list of marks stay as they are. `index.css` says how they look.
 */

/** `finding`: the leak check found it; `found-place`: a phrase or a policy did; `found-current`: the one that is looked at. */
export type HighlightName = "finding" | "found-place" | "found-current";

/** Whether the browser has the CSS Custom Highlight API. */
export const CAN_HIGHLIGHT = globalThis.CSS?.highlights !== undefined;

/** Draws these ranges instead of those before. A browser that cannot do so shows nothing. */
export function drawHighlights(name: HighlightName, ranges: readonly Range[]): void {
  if (!CAN_HIGHLIGHT) return;
  if (ranges.length === 0) CSS.highlights.delete(name);
  else CSS.highlights.set(name, new Highlight(...ranges));
}
