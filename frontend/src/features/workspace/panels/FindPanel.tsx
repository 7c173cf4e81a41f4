import { useEffect, useEffectEvent, useMemo, useState } from "react";
import { countBefore } from "@/lib/binary-search";
import { contextOf } from "@/marked-text/context";
import { MOST_PLACES } from "@/marked-text/find";
import type { TextSpan } from "@/marked-text/markup";
import { type Seed, useSought } from "./FindForm";
import type { FoundAction } from "./FoundActions";
import { FoundPlaces, withOne } from "./FoundPlaces";
import { PlaceLine } from "./PlaceLine";
import type { TextSurface } from "./surface";
import { useFind } from "./use-find";

interface FindPanelProps {
  surface: TextSurface;
  seed: Seed;
  onJump: (place: TextSpan) => void;
  onClose: () => void;
}

const NONE: ReadonlySet<number> = new Set();

/** Finds a phrase in a text, and marks or unmarks the chosen places in one step. */
export function FindPanel({ surface, seed, onJump, onClose }: FindPanelProps) {
  const { input, wanted, setWanted } = useSought(seed);
  const { sought, text, places, states, searching } = useFind(surface, wanted);
  const [at, setAt] = useState({ offset: -1, turn: 0 });
  const near = indexFrom(places, at.offset);
  const current = places[near]?.from === at.offset ? near : -1;
  const [spare, setSpare] = useState({ sought, text, offsets: NONE });
  // Other places, or other text around them: what was chosen before does not apply any more.
  const spared = spare.sought === sought && spare.text === text ? spare.offsets : NONE;
  const setSpared = (offsets: ReadonlySet<number>) => setSpare({ sought, text, offsets });
  // The places are of another phrase, or soon are.
  const stale = searching || sought !== wanted;
  /** What is shown is of the text as it is now. */
  const isCurrent = () => text === surface.text();

  const drawn = useEffectEvent(() => {
    if (isCurrent()) surface.highlight(places, current);
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is drawn depends on these alone
  useEffect(() => drawn(), [places, states, current]);
  useEffect(() => () => surface.highlight([], -1), [surface]);

  const go = (index: number) => {
    const place = places[index];
    if (place) setAt(({ turn }) => ({ offset: place.from, turn: turn + 1 }));
  };
  const step = (direction: 1 | -1) => {
    const { length } = places;
    if (length === 0) return;
    if (current >= 0) go((current + direction + length) % length);
    else go(indexFrom(places, Math.max(at.offset, surface.selection().from)));
  };
  const arrived = useEffectEvent(() => go(indexFrom(places, at.offset >= 0 ? at.offset : surface.selection().from)));
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another phrase moves to another place
  useEffect(() => arrived(), [sought]);
  const reveals = useEffectEvent(() => {
    const place = places[current];
    return place && isCurrent() ? surface.reveal(place) : undefined;
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: each move is shown once
  useEffect(() => reveals(), [at]);

  const close = () => {
    const place = places[current];
    if (place && isCurrent()) onJump(place);
    onClose();
  };

  const chosen = useMemo(
    () => states.filter((_, index) => !spared.has(places[index]?.from ?? -1)),
    [states, places, spared],
  );
  const doAll = (action: FoundAction) => {
    // The text has changed: the places are found again first, so that the author sees them.
    if (stale || !isCurrent()) return;
    surface[action](spared.size === 0 ? places : places.filter(({ from }) => !spared.has(from)), "");
    input.current?.focus({ preventScroll: true });
  };
  const doThis = (action: FoundAction) => {
    const place = places[current];
    if (!place || stale || !isCurrent()) return;
    surface[action]([place], "");
    step(1);
  };

  return (
    <FoundPlaces
      input={input}
      wanted={wanted}
      sought={sought}
      onWanted={setWanted}
      searching={searching}
      stale={stale}
      count={places.length}
      more={places.length === MOST_PLACES}
      current={current}
      states={states}
      chosen={chosen}
      isSpared={(index) => spared.has(places[index]?.from ?? -1)}
      onSpare={(index, off) => setSpared(withOne(spared, places[index]?.from ?? -1, off))}
      onChooseAll={(on) => setSpared(on ? NONE : new Set(places.map(({ from }) => from)))}
      line={(index) => {
        const place = places[index];
        return place && <PlaceLine context={contextOf(text, place)} state={states[index] ?? "plain"} />;
      }}
      onStep={step}
      onMove={go}
      onAll={doAll}
      onThis={doThis}
      onClose={close}
    />
  );
}

/** The index of the first place at `offset` or after it; of the first of all if there is none. */
function indexFrom(places: readonly TextSpan[], offset: number): number {
  const index = countBefore(places.length, (at) => (places[at]?.from ?? 0) < offset);
  return index === places.length ? 0 : index;
}
