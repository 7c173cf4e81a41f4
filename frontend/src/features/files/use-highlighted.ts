/** Draws the highlighted places of an open file. */
import { type RefObject, useEffect, useMemo, useSyncExternalStore } from "react";
import { CAN_HIGHLIGHT, drawHighlights } from "@/lib/text-highlights";
import type { Place } from "./model/marks";
import { selectAllPoints } from "./model/selection";
import { useViewedFile } from "./viewed-file";

/** No screen shows more. */
const MOST_DRAWN = 5000;

/** Highlights places in the units within `root`, as far as they are drawn. */
export function useHighlightedText(root: RefObject<HTMLElement | null>): void {
  const { highlights } = useViewedFile();
  useEffect(() => {
    if (!CAN_HIGHLIGHT) return;
    let frame = 0;
    const draw = () => {
      const { found, current, findings } = highlights.now();
      const units = new Map<string, HTMLElement>();
      if (found.length + findings.length > 0) {
        for (const unit of root.current?.querySelectorAll<HTMLElement>("[data-address]") ?? [])
          units.set(unit.dataset.address ?? "", unit);
      }
      const rangesOf = (places: readonly Place[]) => {
        const byUnit = new Map<string, Place[]>();
        for (const place of places.slice(0, MOST_DRAWN)) {
          const there = byUnit.get(place.address);
          if (there) there.push(place);
          else byUnit.set(place.address, [place]);
        }
        return [...byUnit].flatMap(([address, there]) => {
          const unit = units.get(address);
          return unit ? selectAllPoints(unit, there) : [];
        });
      };
      drawHighlights("found-place", rangesOf(found));
      drawHighlights("found-current", rangesOf(found.slice(current, current + 1)));
      drawHighlights("finding", rangesOf(findings));
    };
    const later = () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(draw);
    };
    const stop = highlights.subscribe(later);
    // Marking draws the text again, and scrolling draws other pages.
    const watching = new MutationObserver(later);
    if (root.current) watching.observe(root.current, { childList: true, subtree: true });
    later();
    return () => {
      stop();
      watching.disconnect();
      cancelAnimationFrame(frame);
      for (const name of ["found-place", "found-current", "finding"] as const) drawHighlights(name, []);
    };
  }, [highlights, root]);
}

/** The addresses of cells in which something was found, and of those with a finding. */
export function useHighlightedCells(): { readonly found: ReadonlySet<string>; readonly findings: ReadonlySet<string> } {
  const { highlights } = useViewedFile();
  const { found, findings } = useSyncExternalStore(highlights.subscribe, highlights.now);
  return useMemo(
    () => ({
      found: new Set(found.map(({ address }) => address)),
      findings: new Set(findings.map(({ address }) => address)),
    }),
    [found, findings],
  );
}
