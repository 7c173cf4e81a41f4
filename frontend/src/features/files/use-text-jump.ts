import { t } from "@lingui/core/macro";
import { type RefObject, useEffect } from "react";
import { announce } from "@/components/announce";
import { COVERED_ABOVE } from "@/components/reader/reveal";
import { dockedBelow } from "@/features/workspace/shell/Dock";
import { partOf } from "./model/place-names";
import { selectPoints } from "./model/selection";
import { useViewedFile } from "./viewed-file";

/** Between a shown place and a panel at the foot of the window. */
const AIR_PX = 16;

/** Makes `file.jump` lead to the units within `root`, which are loaded first if necessary. */
export function useTextJump(root: RefObject<HTMLElement | null>): void {
  const file = useViewedFile();
  useEffect(() => {
    file.jump = (address, start, end, focus) => {
      if (showUnit(root.current, address, start, end, focus)) return;
      void file.units.reach(address).then((there) => {
        // Drawn once it is there.
        requestAnimationFrame(() => {
          if (!showUnit(root.current, address, start, end, focus) && !there)
            announce(t`That place is not in the text.`);
        });
      });
    };
    return () => {
      file.jump = () => {};
    };
  }, [file, root]);
}

/** Gives the focus back to the text in which something is selected. */
export function focusText(root: HTMLElement | null): void {
  const node = document.getSelection()?.focusNode ?? null;
  const element = node instanceof Element ? node : node?.parentElement;
  if (root?.contains(node)) element?.closest<HTMLElement>("[role=document]")?.focus({ preventScroll: true });
}

/**
 * Scrolls to a unit, or a part; with `focus` moves the focus there and selects the given code points. Returns false if it is
 * not there.
 */
export function showUnit(
  root: HTMLElement | null,
  address: string,
  start: number | null,
  end: number | null,
  focus = true,
): boolean {
  if (!root) return false;
  const unit = [...root.querySelectorAll<HTMLElement>("[data-address]")].find((one) => one.dataset.address === address);
  if (!unit) {
    const part = [...root.querySelectorAll<HTMLElement>("[data-part]")].find((one) => one.dataset.part === address);
    part?.scrollIntoView({ block: "start" });
    if (focus) part?.querySelector<HTMLElement>("[role=document]")?.focus({ preventScroll: true });
    return part !== undefined && partOf(address) === address;
  }
  if (focus) unit.closest<HTMLElement>("[role=document]")?.focus({ preventScroll: true });
  const range = selectPoints(unit, start ?? 0, end ?? Number.POSITIVE_INFINITY);
  const place = range?.startContainer.parentElement ?? unit;
  place.scrollIntoView({ block: "center" });
  const { top, bottom } = place.getBoundingClientRect();
  const covered = bottom - (window.innerHeight - dockedBelow());
  if (covered > 0) window.scrollBy({ top: Math.min(covered + AIR_PX, top - COVERED_ABOVE), behavior: "instant" });
  const selection = document.getSelection();
  if (focus && range && selection) {
    selection.removeAllRanges();
    selection.addRange(range);
  }
  return true;
}
