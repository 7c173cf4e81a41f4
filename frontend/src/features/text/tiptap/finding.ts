/** What is looked for in the document, and where that stands. */
import type { Node } from "@tiptap/pm/model";
import type { Sought } from "@/features/workspace/panels/FindForm";
import type { Stretch } from "./engine/compared-text";
import { comparedText } from "./engine/compared-text";
import { occurrences, type Standing, standings } from "./engine/occurrences";

export interface Found {
  readonly doc: Node;
  readonly text: string;
  readonly places: readonly Stretch[];
  readonly standings: readonly Standing[];
}

export function find(doc: Node, wanted: Sought): Found {
  const places = occurrences(doc, wanted.phrase, wanted);
  return { doc, text: comparedText(doc, "exact").text, places, standings: standings(doc, places) };
}

/** The index of the first place at `offset` or behind it; of the first of all if there is none. */
export function placeFrom(places: readonly Stretch[], offset: number): number {
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((places[middle]?.from ?? 0) < offset) low = middle + 1;
    else high = middle;
  }
  return low === places.length ? 0 : low;
}

/** Those of the places that are chosen: all but `spared`, the offsets at which others begin. */
export function chosenOf({ places }: Found, spared: ReadonlySet<number>): readonly Stretch[] {
  return spared.size === 0 ? places : places.filter(({ from }) => !spared.has(from));
}
