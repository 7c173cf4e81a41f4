/** Verdicts on hits, by index. A hit without a verdict is undecided. */
export type Verdict = "accepted" | "rejected";

export type Verdicts = ReadonlyMap<number, Verdict>;

export const UNDECIDED: Verdicts = new Map();

/** Sets the verdict on these hits; null removes it. */
export function decided(verdicts: Verdicts, indexes: Iterable<number>, verdict: Verdict | null): Verdicts {
  const next = new Map(verdicts);
  for (const index of indexes) {
    if (verdict === null) next.delete(index);
    else next.set(index, verdict);
  }
  return next;
}

interface Tally {
  readonly accepted: number;
  readonly rejected: number;
  readonly open: number;
}

/** Counts the verdicts on these hits. */
export function tally(verdicts: Verdicts, indexes: readonly number[]): Tally {
  let accepted = 0;
  let rejected = 0;
  for (const index of indexes) {
    const verdict = verdicts.get(index);
    if (verdict === "accepted") accepted++;
    else if (verdict === "rejected") rejected++;
  }
  return { accepted, rejected, open: indexes.length - accepted - rejected };
}

/** The next undecided hit after `index`, continuing from the start; null if there is none. */
export function nextOpen(verdicts: Verdicts, indexes: readonly number[], index: number): number | null {
  const after = indexes.findIndex((one) => one > index);
  const start = after < 0 ? 0 : after;
  for (let step = 0; step < indexes.length; step++) {
    const one = indexes[(start + step) % indexes.length] as number;
    if (!verdicts.has(one)) return one;
  }
  return null;
}

/** The verdicts on the hits with these indexes, by their place among these. */
export function onThese(verdicts: Verdicts, indexes: readonly number[]): Verdicts {
  return new Map(
    indexes.flatMap((index, at) => {
      const verdict = verdicts.get(index);
      return verdict ? [[at, verdict] as const] : [];
    }),
  );
}

/** The way back: by the index among all hits. */
export function onAll(verdicts: Verdicts, indexes: readonly number[]): Verdicts {
  return new Map([...verdicts].map(([at, verdict]) => [indexes[at] as number, verdict]));
}

/**
 * The verdicts on hits that are found again, of the same text: `before` are those that were decided on, null where one
 * is not there any more. `tell`: what tells a hit from all others.
 */
export function onAgain<Hit>(
  verdicts: Verdicts,
  before: readonly (Hit | null | undefined)[],
  now: readonly Hit[],
  tell: (hit: Hit) => string,
): Verdicts {
  const known = new Map<string, Verdict>();
  for (const [index, verdict] of verdicts) {
    const hit = before[index];
    if (hit) known.set(tell(hit), verdict);
  }
  return new Map(
    now.flatMap((hit, index) => {
      const verdict = known.get(tell(hit));
      return verdict ? [[index, verdict] as const] : [];
    }),
  );
}

/** Once what was accepted is marked: what was rejected stays so. */
export function onceMarked(verdicts: Verdicts): Verdicts {
  return new Map([...verdicts].filter(([, verdict]) => verdict === "rejected"));
}
