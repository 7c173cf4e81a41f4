/**
 * The labels of a long text's spans, as `features/text/tiptap/labels.ts` has those of a short one. Here they are known by their
 * place, which moves while somebody writes.
 */

import { useState } from "react";
import type { LabelsAsked } from "@/api/labels";
import { type Banner, rankIn } from "@/features/workspace/panels/carried";
import { useDraftLabels } from "@/features/workspace/panels/draft-labels";
import type { BannerLabels } from "@/features/workspace/panels/LabelBanner";
import type { TextSpan } from "@/marked-text/markup";
import type { LongTextEditor } from "./engine/editor";
import { ranges, spansField } from "./engine/spans";
import { LongTextTracker } from "./long-text-tracker";

/** What is to be labelled: whatever span reaches into the place; null for the default. */
export interface Labelled {
  readonly place: TextSpan;
  readonly label: string | null;
}

/** Places in order, or the banner. */
export interface LongTextLabelChange {
  readonly places?: readonly Labelled[];
  readonly banner?: Banner;
  /** No span is lowered by it. */
  readonly raises?: boolean;
}

export interface LongTextLabels extends BannerLabels {
  /** All of them as they are here, for a document that is to have the same; null as long as that is not known. */
  readonly asked: () => LabelsAsked | null;
  readonly change: (change: LongTextLabelChange) => void;
  /** Grows when other labels are shown: they stand in the editor, where the page does not see them change. */
  readonly turn: number;
}

interface Changing extends LongTextLabelChange {
  /** From when the places were chosen. */
  readonly tracker: LongTextTracker;
}

/** Null where there are no labels. */
export function useLongTextLabels(id: string, editor: LongTextEditor): LongTextLabels | null {
  const [turn, setTurn] = useState(0);
  const labels = useDraftLabels<Changing>(id, {
    spans: () => {
      const { doc } = editor.state;
      const spans = editor.state.field(spansField);
      return {
        count: spans.size,
        texts: () => Array.from(ranges(spans), ({ from, to }) => doc.sliceString(from, to, "\n")),
      };
    },
    show: (all, rank) => {
      editor.showLabels(all, rank);
      setTurn((before) => before + 1);
    },
    chosen: ({ places, tracker }, set) => (places ? labelsAt(editor, places, tracker, rankIn(set)) : null),
    end: ({ tracker }) => tracker.end(),
  });
  return (
    labels && {
      ...labels,
      turn,
      change: (change) => {
        if (change.places?.length !== 0) labels.change({ ...change, tracker: new LongTextTracker(editor) });
      },
    }
  );
}

/** By the number of the span; where several places are in one span, the highest. */
export function labelsAt(
  editor: LongTextEditor,
  places: readonly Labelled[],
  tracker: Pick<LongTextTracker, "moved">,
  rank: (label: string | null) => number,
): ReadonlyMap<number, string | null> {
  const wanted = places.flatMap(({ place, label }) => {
    const now = tracker.moved(place);
    return now ? [{ ...now, label }] : [];
  });
  const found = new Map<number, string | null>();
  let next = 0;
  let number = 0;
  for (const { from, to } of ranges(editor.state.field(spansField))) {
    while ((wanted[next]?.to ?? Number.POSITIVE_INFINITY) <= from) next++;
    if (next === wanted.length) break;
    for (let at = next; (wanted[at]?.from ?? Number.POSITIVE_INFINITY) < to; at++) {
      const { label, to: end } = wanted[at] as (typeof wanted)[number];
      if (end <= from) continue;
      const before = found.get(number);
      if (before === undefined || rank(label) > rank(before)) found.set(number, label);
    }
    number++;
  }
  return found;
}
