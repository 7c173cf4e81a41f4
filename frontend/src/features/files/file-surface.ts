/** A file as the panels see it. Its text never changes, so that a hit is a place. */
import type { Surface } from "@/features/workspace/panels/surface";
import type { Place } from "./model/marks";
import { standingOf } from "./model/standing";
import type { Studio } from "./studio";

export function fileSurface(studio: Studio): Surface<Place> {
  return {
    standings: (places) => {
      const { index } = studio.book.page();
      return places.map((place) => {
        const { all, some } = standingOf(index, [place], studio.units.lengthOf);
        return all ? "marked" : some ? "partly" : "plain";
      });
    },
    mark: (places, words) => studio.mark(places, words),
    unmark: (places, words) => studio.unmark(places, words),
    track: () => ({
      ready: async () => {},
      place: ({ address, start, end }) => ({ address, start, end }),
      end: () => {},
    }),
    onChange: (listener) => studio.book.subscribe(listener),
  };
}
