/**
 * The rows of a list that are selected. Invariant: a range goes from the last box that was ticked or
 * unticked to this one, in the order of the list, and gets the state of this one.
 * `useSelection` clears it with the list.
 */
interface Identified {
  id: string;
}

export interface Selection<Row extends Identified> {
  /** The rows as the list last showed them, by ID, in the order of selection. */
  readonly selected: ReadonlyMap<string, Row>;
  /** The ID of the last box that was ticked or unticked. */
  readonly last: string | null;
}

export const NOTHING_SELECTED: Selection<never> = { selected: new Map<string, never>(), last: null };

/** The selection after `id` was ticked or unticked; with `range`, with all from the last one to it. */
export function toggle<Row extends Identified>(
  { selected, last }: Selection<Row>,
  shown: readonly Row[],
  id: string,
  on: boolean,
  range: boolean,
): Selection<Row> {
  const to = shown.findIndex((row) => row.id === id);
  const from = range ? shown.findIndex((row) => row.id === last) : -1;
  const part = from < 0 ? shown.slice(to, to + 1) : shown.slice(Math.min(from, to), Math.max(from, to) + 1);
  return { selected: withToggled(selected, part, on), last: id };
}

/** The selection after all rows of the list were ticked or unticked. */
export function toggleAll<Row extends Identified>(
  { selected, last }: Selection<Row>,
  shown: readonly Row[],
  on: boolean,
): Selection<Row> {
  return { selected: withToggled(selected, shown, on), last };
}

/** The selection without a row. */
export function deselect<Row extends Identified>({ selected, last }: Selection<Row>, id: string): Selection<Row> {
  return { selected: new Map([...selected].filter(([other]) => other !== id)), last };
}

/** The selected rows in their latest state: first those in the list, in its order, then the others. */
export function selectedRows<Row extends Identified>({ selected }: Selection<Row>, shown: readonly Row[]): Row[] {
  const here = shown.filter(({ id }) => selected.has(id));
  const ids = new Set(here.map(({ id }) => id));
  return [...here, ...[...selected.values()].filter(({ id }) => !ids.has(id))];
}

function withToggled<Row extends Identified>(
  selected: ReadonlyMap<string, Row>,
  part: readonly Row[],
  on: boolean,
): ReadonlyMap<string, Row> {
  const next = new Map(selected);
  for (const row of part) {
    if (on) next.set(row.id, row);
    else next.delete(row.id);
  }
  return next;
}
