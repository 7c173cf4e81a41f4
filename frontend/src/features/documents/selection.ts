/**
 * The documents that are selected to be sent together. Invariant: a range goes from the last box that was ticked or
 * unticked to this one, in the order of the list, and gets the state of this one. The selection survives searches.
 */
import type { DraftShown } from "@/api/types";

export interface Selection {
  /** The documents as the list last showed them, by ID, in the order of selection. */
  readonly selected: ReadonlyMap<string, DraftShown>;
  /** The ID of the last box that was ticked or unticked. */
  readonly last: string | null;
}

export const NOTHING_SELECTED: Selection = { selected: new Map(), last: null };

/** The most documents that the gateway sends together. */
export const MAX_BATCH = 64;

/** The selection after `id` was ticked or unticked; with `range`, with all from the last one to it. */
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

/** The selection after all documents of the list were ticked or unticked. */
export function toggleAll({ selected, last }: Selection, shown: readonly DraftShown[], on: boolean): Selection {
  return { selected: withToggled(selected, shown, on), last };
}

/** The selection without a document. */
export function deselect({ selected, last }: Selection, id: string): Selection {
  return { selected: new Map([...selected].filter(([other]) => other !== id)), last };
}

/** The selected documents in their latest state: first those in the list, in its order, then the others. */
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
