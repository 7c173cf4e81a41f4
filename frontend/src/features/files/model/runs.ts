/** The text of a unit, cut where marks begin and end. */
import { codePoints, slicePoints } from "@/lib/code-points";
import type { Range } from "./marks";

/** `at`: its first code point in the unit. */
export interface Run {
  readonly at: number;
  readonly text: string;
  readonly classified: boolean;
}

/** `ranges`: in order, apart from each other. `all`: the whole unit is classified. */
export function runsOf(text: string, ranges: readonly Range[], all: boolean): readonly Run[] {
  if (all || ranges.length === 0) return text === "" ? [] : [{ at: 0, text, classified: all }];
  const length = codePoints(text);
  const runs: Run[] = [];
  let at = 0;
  const push = (end: number, classified: boolean) => {
    if (end > at) runs.push({ at, text: slicePoints(text, at, end), classified });
    at = Math.max(at, end);
  };
  for (const { start, end } of ranges) {
    push(Math.min(start, length), false);
    push(Math.min(end, length), true);
  }
  push(length, false);
  return runs;
}
