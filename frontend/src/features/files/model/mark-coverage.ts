/** How much of some places is marked. */
import type { MarkIndex, Place } from "./marks";

/** `some`: they have marks that can be removed; `all`: nothing of them is plain; `above`: the address that covers them. */
export interface MarkCoverage {
  readonly some: boolean;
  readonly all: boolean;
  readonly above: string | null;
}

/** `lengthOf`: code points of a unit; null if that is not known. */
export function coverageOf(
  index: MarkIndex,
  places: readonly Place[],
  lengthOf: (address: string) => number | null,
): MarkCoverage {
  let some = false;
  let all = places.length > 0;
  let above: string | null = null;
  for (const place of places) {
    const { address } = place;
    const covering = index.covering(address) ?? index.columnOver(address);
    if (covering !== null) {
      if (covering === address) some = true;
      else above = covering;
      continue;
    }
    const start = place.start ?? 0;
    const end = place.end ?? lengthOf(address);
    const ranges = index.ranges(address);
    some ||= ranges.some((range) => range.end > start && (end === null || range.start < end));
    all &&= end !== null && end > start && ranges.some((range) => range.start <= start && end <= range.end);
  }
  return { some, all, above };
}
