/** The other places of a selected text, which can be marked with it. */
import { useEffect, useState } from "react";
import { findAll } from "@/marked-text/find";
import type { TextSpan } from "@/marked-text/markup";
import { isWholeWord } from "@/marked-text/phrase-search";
import type { TextSurface } from "./surface";

/** Longer selections rarely occur twice. */
const MOST_LENGTH = 500;
/** A longer text takes seconds to search, in UTF-16 code units: that is for the author to ask for. */
const MOST_SEARCHED = 20_000_000;
const NONE: readonly TextSpan[] = [];

/**
 * Unmarked places where the selected text occurs again; known a moment after the selection rests.
 *
 * @param chosen another object for each selection; null while there is none
 * @param version another value after each change of text or marks, unless `chosen` is another one then
 */
export function useOtherPlaces<Chosen extends object>(
  surface: TextSurface,
  chosen: Chosen | null,
  pauseMs: number,
  version?: unknown,
): readonly TextSpan[] {
  const [known, setKnown] = useState<{ chosen: Chosen; others: readonly TextSpan[] } | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: others may be marked while the selection stays
  useEffect(() => {
    if (!chosen) return;
    const abort = new AbortController();
    const find = async () => {
      const others = await otherPlaces(surface, abort.signal).catch(() => NONE);
      if (!abort.signal.aborted) setKnown({ chosen, others });
    };
    const timer = setTimeout(find, pauseMs);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [surface, chosen, pauseMs, version]);
  return chosen && known?.chosen === chosen ? known.others : NONE;
}

/** The other places that the gateway's leak check would find: the selected words as whole words, or their plural. */
async function otherPlaces(surface: TextSurface, signal: AbortSignal): Promise<readonly TextSpan[]> {
  const text = surface.text();
  const here = surface.selection();
  if (here.to - here.from > MOST_LENGTH || text.length > MOST_SEARCHED) return NONE;
  const phrase = text.slice(here.from, here.to);
  const found = await findAll(text, { phrase, matchCase: false, wholeWords: false }, signal);
  const places = found.flatMap(({ from, to }) => {
    const around = text.slice(Math.max(0, from - 2), to + 3);
    const start = Math.min(from, 2);
    const isPlural = /^s$/i.test(text.slice(to, to + 1));
    return [to, isPlural ? to + 1 : to]
      .map((end) => ({ from, to: end }))
      .filter((place) => isWholeWord(around, { from: start, to: start + place.to - from }))
      .slice(0, 1);
  });
  const states = surface.states(places);
  return places.filter(({ from, to }, index) => states[index] !== "marked" && (to <= here.from || from >= here.to));
}
