import { useEffect, useMemo, useState } from "react";
import type { TextParts } from "@/marked-text/context";
import { findAll } from "@/marked-text/find";
import type { MarkState } from "@/marked-text/mark-state";
import type { TextSpan } from "@/marked-text/markup";
import type { Sought } from "@/marked-text/phrase-search";
import type { TextSurface } from "./surface";

/** The places of a phrase in a text, which may have changed since. */
export interface Found {
  readonly sought: Sought;
  readonly text: TextParts;
  readonly places: readonly TextSpan[];
}

const NOTHING: Sought = { phrase: "", matchCase: false, wholeWords: false };

/** A longer text is not searched for every letter of a phrase, but when typing pauses. */
const LONG = 2_000_000;
const PAUSE_MS = 150;

/** Finds the phrase in the text, and again after each change of either. `searching`: for so long that it should be shown. */
export function useFind(surface: TextSurface, sought: Sought) {
  const [text, setText] = useState(() => surface.text());
  const [found, setFound] = useState<Found>({ sought: NOTHING, text, places: [] });
  const [searching, setSearching] = useState(false);
  const [turn, setTurn] = useState(0);
  useEffect(
    () =>
      surface.onChange(() => {
        setText(surface.text());
        setTurn((now) => now + 1);
      }),
    [surface],
  );
  useEffect(() => {
    const abort = new AbortController();
    const search = () =>
      findAll(text, sought, abort.signal).then(
        (places) => {
          if (abort.signal.aborted) return;
          clearTimeout(slow);
          setSearching(false);
          setFound({ sought, text, places });
        },
        (error) => {
          if (!abort.signal.aborted) throw error;
        },
      );
    const slow = setTimeout(() => setSearching(true), PAUSE_MS);
    const begin = text.length > LONG ? setTimeout(search, PAUSE_MS) : void search();
    return () => {
      abort.abort();
      clearTimeout(slow);
      clearTimeout(begin);
    };
  }, [text, sought]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `turn` counts the changes of text and marks
  const states = useMemo((): readonly MarkState[] => surface.states(found.places), [surface, found, turn]);
  return { ...found, states, searching };
}
