/**
 * The labels of a text's spans, in either editor. A label is changed at a place of the text, which moves while the author
 * types, until the change is saved.
 */
import type { LabelSetShown, LabelsAsked } from "@/api/labels";
import type { TextSpan } from "@/marked-text/markup";
import { useDraftLabels } from "../workspace/panels/draft-labels";
import type { BannerLabels } from "../workspace/panels/LabelBanner";
import { type Banner, given, type Label, rankIn } from "../workspace/panels/labels-after-edit";
import type { TextSurface, TextTracker } from "../workspace/panels/surface";

/** A label for each span that reaches into the place; null for the default. */
export interface Labelled {
  readonly place: TextSpan;
  readonly label: Label;
}

/** Labels for places in order, or the banner. */
interface TextLabelChange {
  readonly places?: readonly Labelled[];
  readonly banner?: Banner;
  /** No span gets a lower label than it has. */
  readonly raises?: boolean;
}

export interface TextLabels extends BannerLabels {
  /** All labels as they are here, for a copy of the document; null until they are known. */
  readonly asked: () => LabelsAsked | null;
  readonly change: (change: TextLabelChange) => void;
}

interface Changing extends TextLabelChange {
  /** Follows the text since the places were chosen. */
  readonly tracker: TextTracker;
}

/** Null if there are no labels. `show`: shows the label of each span, in order. */
export function useTextLabels(
  id: string,
  surface: TextSurface,
  show: (labels: readonly Label[], rank: (label: Label) => number) => void,
): TextLabels | null {
  const labels = useDraftLabels<Changing>(id, {
    spans: () => {
      const text = surface.text();
      const { count, inOrder } = surface.spans();
      return { count, texts: () => Array.from(inOrder(), ({ from, to }) => text.slice(from, to)) };
    },
    show,
    chosen: ({ places, tracker }, set) =>
      places ? labelsAt(surface.spans().inOrder(), places, tracker, rankIn(set)) : null,
    end: ({ tracker }) => tracker.end(),
  });
  return (
    labels && {
      ...labels,
      change: (change) => {
        if (change.places?.length !== 0) labels.change({ ...change, tracker: surface.track() });
      },
    }
  );
}

/** By the index of the span; if several places reach into one span, the highest label. */
export function labelsAt(
  spans: Iterable<TextSpan>,
  places: readonly Labelled[],
  tracker: Pick<TextTracker, "moved">,
  rank: (label: Label) => number,
): ReadonlyMap<number, Label> {
  const wanted = places.flatMap(({ place, label }) => {
    const now = tracker.moved(place);
    return now ? [{ ...now, label }] : [];
  });
  const found = new Map<number, Label>();
  let next = 0;
  let index = 0;
  for (const { from, to } of spans) {
    while ((wanted[next]?.to ?? Number.POSITIVE_INFINITY) <= from) next++;
    if (next === wanted.length) break;
    for (let at = next; (wanted[at]?.from ?? Number.POSITIVE_INFINITY) < to; at++) {
      const { label, to: end } = wanted[at] as (typeof wanted)[number];
      if (end <= from) continue;
      const before = found.get(index);
      if (before === undefined || rank(label) > rank(before)) found.set(index, label);
    }
    index++;
  }
  return found;
}

/** The labels that their rules give to the hits of a policy. */
export function labelsOfHits(
  hits: readonly (TextSpan & { readonly label: string })[],
  set: LabelSetShown,
): readonly Labelled[] {
  return hits.flatMap(({ from, to, label: named }) => {
    const label = given(set, named);
    return label === undefined ? [] : [{ place: { from, to }, label }];
  });
}
