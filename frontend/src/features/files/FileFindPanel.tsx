import { plural, t } from "@lingui/core/macro";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { useDebounced } from "@/lib/use-debounced";
import { type Seed, useSought } from "../workspace/panels/FindForm";
import type { FoundAction } from "../workspace/panels/FoundActions";
import { FoundPlaces, withOne } from "../workspace/panels/FoundPlaces";
import { PlaceLine } from "../workspace/panels/PlaceLine";
import { type FoundPlace, findInFile } from "./find-in-file";
import { whereText } from "./model/place-names";
import { useOpenFile } from "./open-file";
import { useMarks } from "./viewed-file";

/** The gateway searches when typing pauses. */
const PAUSE_MS = 250;
const NONE: ReadonlySet<number> = new Set();
const NOTHING: readonly FoundPlace[] = [];

/** Finds a phrase in a file of any format, and marks or unmarks the chosen places in one step. */
export function FileFindPanel({ seed, onClose }: { seed: Seed; onClose: () => void }) {
  const file = useOpenFile();
  const marks = useMarks();
  const { input, wanted, setWanted } = useSought(seed);
  const asked = useDebounced(wanted, PAUSE_MS);
  const isAsking = asked.phrase.trim() !== "";
  const search = useQuery({
    queryKey: ["content", "find", file.id, asked],
    queryFn: ({ signal }) => findInFile(file.id, asked, signal),
    enabled: isAsking,
    placeholderData: keepPreviousData,
    structuralSharing: false,
    gcTime: 0,
    retry: false,
  });
  const found = isAsking ? search.data : undefined;
  const places = found?.places ?? NOTHING;
  const stale = search.isFetching || asked !== wanted;
  // biome-ignore lint/correctness/useExhaustiveDependencies: computed again after each change of the marks
  const states = useMemo(() => file.surface.states(places.map(({ place }) => place)), [file, places, marks]);
  // What was chosen and looked at, of these places alone.
  const [looked, setLooked] = useState({ places, current: -1, spared: NONE });
  const { current, spared } = looked.places === places ? looked : { current: -1, spared: NONE };
  useEffect(() => {
    file.surface.highlight(
      places.map(({ place }) => place),
      current,
    );
  }, [file, places, current]);
  useEffect(() => () => file.surface.highlight([], -1), [file]);

  const go = (index: number) => {
    const place = places[index]?.place;
    if (!place) return;
    setLooked({ places, current: index, spared });
    file.surface.reveal(place);
  };
  const step = (direction: 1 | -1) => {
    const { length } = places;
    if (length > 0) go(current < 0 ? (direction === 1 ? 0 : length - 1) : (current + direction + length) % length);
  };
  const act = (action: FoundAction, indexes: readonly number[]) => {
    if (stale) return;
    const chosenPlaces = indexes.flatMap((index) => places[index]?.place ?? []);
    file.surface[action](chosenPlaces, plural(chosenPlaces.length, { one: "# place", other: "# places" }));
    input.current?.focus({ preventScroll: true });
  };
  return (
    <FoundPlaces
      input={input}
      wanted={wanted}
      sought={asked}
      onWanted={setWanted}
      searching={stale && isAsking}
      stale={stale}
      count={places.length}
      more={found?.more ?? false}
      current={current}
      states={states}
      chosen={states.filter((_, index) => !spared.has(index))}
      isSpared={(index) => spared.has(index)}
      onSpare={(index, off) => setLooked({ places, current, spared: withOne(spared, index, off) })}
      onChooseAll={(on) => setLooked({ places, current, spared: on ? NONE : new Set(places.keys()) })}
      line={(index) => {
        const one = places[index];
        return (
          one && (
            <span className="flex min-w-0 items-baseline gap-1.5">
              <span className="min-w-0 flex-1">
                <PlaceLine
                  context={{ before: one.before.slice(-32), hit: one.text, after: one.after }}
                  state={states[index] ?? "plain"}
                />
              </span>
              <span className="max-w-24 shrink-0 truncate text-quiet text-xs">
                {whereText(file.format, one.place.address)}
              </span>
            </span>
          )
        );
      }}
      onStep={step}
      onMove={go}
      onAll={(action) =>
        act(
          action,
          [...places.keys()].filter((index) => !spared.has(index)),
        )
      }
      onThis={(action) => {
        act(action, [current]);
        step(1);
      }}
      onClose={() => {
        const place = places[current]?.place;
        onClose();
        if (place) file.surface.select(place);
      }}
    >
      {search.error && isAsking && (
        <ErrorPanel
          title={t`The file could not be searched.`}
          problem={search.error}
          onRetry={() => search.refetch()}
        />
      )}
    </FoundPlaces>
  );
}
