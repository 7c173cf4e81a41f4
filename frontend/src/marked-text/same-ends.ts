/** What two versions of a text have in common, so that readers and authors stay at their place. */
import { cutsPair } from "./markup";

export interface SameEnds {
  /** How many characters are the same at the start, and how many more at the end; no surrogate pair is cut. */
  readonly head: number;
  readonly tail: number;
  /** The offset in the second text of an offset in the first. */
  readonly move: (offset: number) => number;
}

export function sameEnds(before: string, after: string): SameEnds {
  const most = Math.min(before.length, after.length);
  let head = 0;
  while (head < most && before.charCodeAt(head) === after.charCodeAt(head)) head++;
  if (cutsPair(before, head) || cutsPair(after, head)) head--;
  let tail = 0;
  while (
    tail < most - head &&
    before.charCodeAt(before.length - 1 - tail) === after.charCodeAt(after.length - 1 - tail)
  )
    tail++;
  if (cutsPair(before, before.length - tail) || cutsPair(after, after.length - tail)) tail--;
  const move = (offset: number) => {
    if (offset <= head) return offset;
    const fromEnd = before.length - offset;
    return fromEnd <= tail ? after.length - fromEnd : Math.min(offset, after.length - tail);
  };
  return { head, tail, move };
}
