/**
 * Which documents are chosen, to be sent together. The law: a range goes from the one that was ticked last to this one, in
 * the order that is shown, and all of it becomes what this one becomes. Who is chosen stays so while others are searched
 * for.
 */
import type { DraftShown } from "@/api/types";

export interface Choice {
  /** As they were shown last, by their ids, in the order of choosing. */
  readonly chosen: ReadonlyMap<string, DraftShown>;
  /** The one that was ticked or unticked last. */
  readonly last: string | null;
}

export const NONE_CHOSEN: Choice = { chosen: new Map(), last: null };

/** As many as the gateway sends together. */
export const MOST_TOGETHER = 64;

/** After `id` was ticked or unticked; with `range`, all from the last one on. */
export function ticked(
  { chosen, last }: Choice,
  shown: readonly DraftShown[],
  id: string,
  on: boolean,
  range: boolean,
): Choice {
  const to = shown.findIndex((draft) => draft.id === id);
  const from = range ? shown.findIndex((draft) => draft.id === last) : -1;
  const part = from < 0 ? shown.slice(to, to + 1) : shown.slice(Math.min(from, to), Math.max(from, to) + 1);
  return { chosen: changed(chosen, part, on), last: id };
}

/** After all that are shown were ticked or unticked. */
export function tickedAll({ chosen, last }: Choice, shown: readonly DraftShown[], on: boolean): Choice {
  return { chosen: changed(chosen, shown, on), last };
}

/** Without one that is gone, or left out. */
export function without({ chosen, last }: Choice, id: string): Choice {
  return { chosen: new Map([...chosen].filter(([other]) => other !== id)), last };
}

/** The chosen ones as they are now: those that are shown in their order, then the others. */
export function chosenOf({ chosen }: Choice, shown: readonly DraftShown[]): DraftShown[] {
  const here = shown.filter(({ id }) => chosen.has(id));
  const ids = new Set(here.map(({ id }) => id));
  return [...here, ...[...chosen.values()].filter(({ id }) => !ids.has(id))];
}

function changed(chosen: Choice["chosen"], part: readonly DraftShown[], on: boolean): Choice["chosen"] {
  const next = new Map(chosen);
  for (const draft of part) {
    if (on) next.set(draft.id, draft);
    else next.delete(draft.id);
  }
  return next;
}
