/** A file as the panels see it. Its text never changes, so that a hit is a place. */
import type { Surface } from "@/features/workspace/panels/surface";
import type { HighlightedPlaces } from "./model/highlighted-places";
import { coverageOf } from "./model/mark-coverage";
import type { Place } from "./model/marks";
import type { MarksHistory } from "./model/marks-history";
import type { UnitsStore } from "./units-store";

/** What of an open file its panels read and change. */
interface MarkedFile {
  readonly history: MarksHistory;
  readonly units: UnitsStore;
  mark(places: readonly Place[], words: string): void;
  unmark(places: readonly Place[], words: string): void;
  readonly highlights: HighlightedPlaces;
  jump(address: string, start: number | null, end: number | null, focus?: boolean): void;
}

export function fileSurface(file: MarkedFile): Surface<Place> {
  return {
    order: () => 0,
    states: (places) => {
      const { index } = file.history.snapshot();
      return places.map((place) => {
        const { all, some } = coverageOf(index, [place], file.units.lengthOf);
        return all ? "marked" : some ? "partly" : "plain";
      });
    },
    mark: (places, words) => file.mark(places, words),
    unmark: (places, words) => file.unmark(places, words),
    select: ({ address, start, end }) => file.jump(address, start, end),
    highlight: (found, current) => file.highlights.show({ found, current }),
    underline: (findings) => file.highlights.show({ findings }),
    reveal: ({ address, start, end }) => {
      file.jump(address, start, end, false);
      return () => {};
    },
    track: () => ({
      ready: async () => {},
      place: ({ address, start, end }) => ({ address, start, end }),
      isSameText: () => true,
      end: () => {},
    }),
    onChange: (listener) => file.history.subscribe(listener),
  };
}
