/**
 * Which documents are chosen, to be sent together. Invariant: a range goes from the one that was ticked last to this one, in
 * the order that is shown, and all of it becomes what this one becomes. Who is chosen stays so while others are searched
 * for.
 */
import type { DraftShown } from "@/api/types";

export interface Selection {
  /** As they were shown last, by their ids, in the order of choosing. */
  readonly selected: ReadonlyMap<string, DraftShown>;
  /** The one that was ticked or unticked last. */
  readonly last: string | null;
}

export const NOTHING_SELECTED: Selection = { selected: new Map(), last: null };

/** As many as the gateway sends together. */
export const MAX_BATCH = 64;

/** After `id` was ticked or unticked; with `range`, all from the last one on. */
export function toggle(
  { selected, last }: Selection,
  shown: readonly DraftShown[],
  id: string,
  on: boolean,
  range: boolean,
): Selection {
  const to = shown.findIndex((draft) => draft.id === id);
  const from = range ? shown.findIndex((draft) => draft.id === last) : -1;
  const part = from < 0 ? shown.slice(to, to + 1) : shown.slice(Math.min(from, to), Math.max(from, to) + 1);
  return { selected: withToggled(selected, part, on), last: id };
}

/** After all that are shown were ticked or unticked. */
export function toggleAll({ selected, last }: Selection, shown: readonly DraftShown[], on: boolean): Selection {
  return { selected: withToggled(selected, shown, on), last };
}

/** Without one that is gone, or left out. */
export function deselect({ selected, last }: Selection, id: string): Selection {
  return { selected: new Map([...selected].filter(([other]) => other !== id)), last };
}

/** The chosen ones as they are now: those that are shown in their order, then the others. */
export function selectedDrafts({ selected }: Selection, shown: readonly DraftShown[]): DraftShown[] {
  const here = shown.filter(({ id }) => selected.has(id));
  const ids = new Set(here.map(({ id }) => id));
  return [...here, ...[...selected.values()].filter(({ id }) => !ids.has(id))];
}

function withToggled(selected: Selection["selected"], part: readonly DraftShown[], on: boolean): Selection["selected"] {
  const next = new Map(selected);
  for (const draft of part) {
    if (on) next.set(draft.id, draft);
    else next.delete(draft.id);
  }
  return next;
}
