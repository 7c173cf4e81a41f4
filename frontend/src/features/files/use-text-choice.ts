import { t } from "@lingui/core/macro";
import { type RefObject, useEffect, useEffectEvent, useLayoutEffect, useRef } from "react";
import { codePoints, slicePoints } from "@/lib/code-points";
import type { Place } from "./model/marks";
import { addressAtCursor, placesOfSelection, pointAtCursor, selectPoints } from "./model/selection";
import { quoted, wordAt } from "./model/words";
import { type Choice, useMarks, useViewedFile } from "./viewed-file";

/**
 * Chooses the selected text within `root` for Mark and Unmark; without a selection, the word at the cursor. A selection
 * elsewhere in the page changes nothing. `textOf`: a unit's text. `words`: only whole words are chosen.
 */
export function useTextChoice(
  root: RefObject<HTMLElement | null>,
  textOf: (address: string) => string | null,
  words = false,
): void {
  const file = useViewedFile();
  const page = useMarks();
  const kept = useRef<{ choice: Choice; places: readonly Place[] } | null>(null);
  const restoring = useRef(false);

  const look = useEffectEvent(() => {
    const { current } = root;
    if (!current || restoring.current) return;
    const places = placesOfSelection(current, words);
    if (places.length > 0) {
      const choice = { places, words: textOfPlaces(places, textOf), ...textOfChoice(places, textOf) };
      kept.current = { choice, places };
      file.choose(choice);
      return;
    }
    const address = addressAtCursor(current);
    if (address === null) return;
    kept.current = null;
    file.choose(wordChoice(address, pointAtCursor(current), textOf(address)));
  });

  useEffect(() => {
    let frame = 0;
    const changed = () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(look);
    };
    const now = () => look();
    file.lookers.add(now);
    document.addEventListener("selectionchange", changed);
    return () => {
      file.lookers.delete(now);
      cancelAnimationFrame(frame);
      document.removeEventListener("selectionchange", changed);
      file.choose(null);
    };
  }, [file]);

  // Marking draws the text again; the selection stays.
  // biome-ignore lint/correctness/useExhaustiveDependencies: after each change of the marks
  useLayoutEffect(() => {
    const { current } = root;
    if (!current || !kept.current || file.choice() !== kept.current.choice) return;
    const range = rangeOf(current, kept.current.places);
    const selection = document.getSelection();
    if (!range || !selection) return;
    restoring.current = true;
    selection.removeAllRanges();
    selection.addRange(range);
    const frame = requestAnimationFrame(() => {
      restoring.current = false;
    });
    return () => {
      cancelAnimationFrame(frame);
      restoring.current = false;
    };
  }, [page, root, file]);
}

function wordChoice(address: string, point: number | null, text: string | null): Choice | null {
  const word = text !== null && point !== null ? wordAt(text, point) : null;
  if (!word || text === null) return null;
  const chosen = slicePoints(text, word.start, word.end);
  return { places: [{ address, ...word }], words: quoted(chosen), text: chosen, atCursor: true };
}

function textOfPlaces(places: readonly Place[], textOf: (address: string) => string | null): string {
  const [first] = places;
  if (!first) return "";
  const text = textOf(first.address) ?? "";
  const start = first.start ?? 0;
  const chosen = quoted(slicePoints(text, start, Math.min(first.end ?? codePoints(text), start + 60)));
  return places.length === 1 ? chosen : t`${chosen} and ${{ others: places.length - 1 }} more`;
}

function textOfChoice(places: readonly Place[], textOf: (address: string) => string | null): { text?: string } {
  const [place, more] = places;
  const text = place && !more ? textOf(place.address) : null;
  return place && text !== null ? { text: slicePoints(text, place.start ?? 0, place.end ?? codePoints(text)) } : {};
}

/** From the start of the first place to the end of the last one. */
function rangeOf(root: HTMLElement, places: readonly Place[]): Range | null {
  const first = places[0];
  const last = places.at(-1);
  if (!first || !last) return null;
  const units = [...root.querySelectorAll<HTMLElement>("[data-address]")];
  const from = units.find((unit) => unit.dataset.address === first.address);
  const to = units.find((unit) => unit.dataset.address === last.address);
  const begin = from && selectPoints(from, first.start ?? 0, first.end ?? Infinity);
  const end = to && selectPoints(to, last.start ?? 0, last.end ?? Infinity);
  if (!begin || !end) return null;
  begin.setEnd(end.endContainer, end.endOffset);
  return begin;
}
