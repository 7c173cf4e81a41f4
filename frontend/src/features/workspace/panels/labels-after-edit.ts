/**
 * How labels survive editing, for text that is kept without saving it first. The rule is the gateway's,
 * `labels_after_edit` in marking/labels.py. Invariant: no labelled text loses its label silently.
 */
import type { DraftLabelled, LabelSetShown } from "@/api/labels";

/** Null: the default. */
export type Label = string | null;

/** How high a label is, as the gateway ranks it: one that the set does not know is the highest. */
export function rankIn(set: LabelSetShown): (label: Label) => number {
  const ranks = new Map<Label, number>(set.labels.map(({ name, rank }) => [name, rank]));
  ranks.set(null, ranks.get(set.default) ?? Number.POSITIVE_INFINITY);
  return (label) => ranks.get(label) ?? Number.POSITIVE_INFINITY;
}

/** The label that a policy gives, as this set has it: one that it does not know counts as its highest. Undefined: none. */
export function given({ labels }: LabelSetShown, label: string): string | undefined {
  if (label === "" || labels.some(({ name }) => name === label)) return label || undefined;
  return labels.reduce((one, other) => (other.rank > one.rank ? other : one)).name;
}

/**
 * The labels of spans with these texts, where those of `before` were labelled so. The same text keeps its label, the
 * highest if it had several. Text that is new gets the highest label of the text that is gone, or of which there is less.
 */
export function carried(
  before: readonly string[],
  labels: readonly Label[],
  texts: readonly string[],
  rank: (label: Label) => number,
): Label[] {
  if (before.length === texts.length && before.every((text, index) => text === texts[index])) return [...labels];
  const had = new Map<string, { label: Label; count: number }>();
  before.forEach((text, index) => {
    const label = labels[index] ?? null;
    const known = had.get(text);
    if (!known) had.set(text, { label, count: 1 });
    else had.set(text, { label: higher(known.label, label, rank), count: known.count + 1 });
  });
  for (const text of texts) {
    const known = had.get(text);
    if (known) known.count--;
  }
  let edited: Label | undefined;
  for (const { label, count } of had.values())
    if (count > 0) edited = edited === undefined ? label : higher(edited, label, rank);
  return texts.map((text) => {
    const known = had.get(text);
    return known ? known.label : (edited ?? null);
  });
}

/** What spans with these texts were labelled at a save. */
export interface Labelled {
  readonly texts: readonly string[];
  readonly labels: readonly Label[];
}

/** `earlier`, and on top of it what each text was labelled here, the highest if it had several. */
export function remembered(
  earlier: ReadonlyMap<string, Label>,
  { texts, labels }: Labelled,
  rank: (label: Label) => number,
): ReadonlyMap<string, Label> {
  const here = new Map<string, Label>();
  texts.forEach((text, index) => {
    const label = labels[index] ?? null;
    here.set(text, here.has(text) ? higher(here.get(text) ?? null, label, rank) : label);
  });
  return new Map([...earlier, ...here]);
}

/**
 * The same where more than one save is known: what the latest does not have may have been cut before it and be back by
 * undoing, so that it has the highest of what it gets by the latest, what it gets by `first`, and what it was labelled
 * when it was there last. `earlier`: what texts were labelled before `first`.
 */
export function carriedSince(
  earlier: ReadonlyMap<string, Label>,
  first: Labelled,
  latest: Labelled,
  texts: readonly string[],
  rank: (label: Label) => number,
): Label[] {
  const now = carried(latest.texts, latest.labels, texts, rank);
  if (first === latest && earlier.size === 0) return now;
  const known = remembered(earlier, first, rank);
  const before = carried(first.texts, first.labels, texts, rank);
  const had = new Set(latest.texts);
  return texts.map((text, index) => {
    const label = now[index] ?? null;
    if (had.has(text)) return label;
    const since = higher(label, before[index] ?? null, rank);
    return known.has(text) ? higher(since, known.get(text) ?? null, rank) : since;
  });
}

function higher(one: Label, other: Label, rank: (label: Label) => number): Label {
  return rank(other) > rank(one) ? other : one;
}

/** Its name null: the floor. */
export interface Banner {
  readonly name: string | null;
  readonly reason: string;
}

/** The banner that stays as high as it was where these are the labels; null if these are as high. */
export function kept(
  { banner, compilation_reason }: DraftLabelled,
  labels: readonly Label[],
  rank: (label: Label) => number,
): Banner | null {
  if (banner === null || labels.some((label) => rank(label) >= rank(banner))) return null;
  return { name: banner, reason: compilation_reason ?? "" };
}
