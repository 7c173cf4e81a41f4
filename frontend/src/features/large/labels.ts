/**
 * The labels of a long text's spans, as `features/editor/labels.ts` has those of a short one: the gateway keeps them by
 * the order of the spans at a save, and they are changed there once all is saved. Here they are known by their place.
 */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { changeLabels, draftLabelsQuery, type LabelShown, type LabelsAsked, labelSetQuery } from "@/api/labels";
import { Problem } from "@/api/problem";
import { announce } from "@/components/announce";
import { toastError } from "@/components/ui/toasts";
import type { TextSpan } from "@/editor/markup";
import type { BannerLabels } from "@/features/editor/LabelBanner";
import { asked, type Banner, raised } from "@/features/editor/labels";
import { useSaver, useSaveState } from "@/features/editor/saving";
import { countText } from "@/features/policies/words";
import type { LargeEditor } from "@/large/editor";
import { labelOf, labelsField } from "@/large/labels";
import { ranges, spansField } from "@/large/spans";
import { Look } from "./look";

/** What is to be labelled: whatever span reaches into the place; null for the default. */
export interface Labelled {
  readonly place: TextSpan;
  readonly label: string | null;
}

/** Places in order, or the banner. */
export interface LargeLabelChange {
  readonly places?: readonly Labelled[];
  readonly banner?: Banner;
}

export interface LargeLabels extends BannerLabels {
  /** All of them as they are here, for a document that is to have the same. */
  readonly asked: () => LabelsAsked;
  readonly change: (change: LargeLabelChange) => void;
}

interface Changing extends LargeLabelChange {
  /** From when the places were chosen. */
  readonly look: Look;
}

/** Null where there are no labels. */
export function useLargeLabels(id: string, editor: LargeEditor): LargeLabels | null {
  const saver = useSaver();
  const client = useQueryClient();
  const { phase, revision } = useSaveState();
  const { data: set } = useQuery(labelSetQuery);
  const any = set !== undefined && set.labels.length > 0;
  const { data: draft = null } = useQuery({ ...draftLabelsQuery(id, revision), enabled: any && phase.is === "saved" });
  const [lowering, setLowering] = useState<Changing | null>(null);

  // They are told apart by the order of the spans, which is known while the text is as it was saved.
  useEffect(() => {
    if (!draft?.labels || phase.is !== "saved" || draft.revision !== revision) return;
    if (draft.labels.length === editor.state.field(spansField).size) editor.showLabels(draft.labels);
  }, [draft, phase.is, revision, editor]);

  const changing = useMutation({
    gcTime: 0, // it holds the text
    mutationFn: async ({ change, why }: { change: Changing; why: string | null }) => {
      const { phase, revision } = await saver.flush();
      if (phase.is !== "saved") throw new Problem(0, "The document could not be saved first.");
      const chosen = change.places && labelsAt(editor, change.places, change.look, set?.labels);
      // Asked anew: a label that another page changed leaves the revision as it is.
      const known = await client.fetchQuery({ ...draftLabelsQuery(id, revision), staleTime: 0 });
      const before = known.labels ?? [];
      const labels = chosen ? before.map((label, index) => named(chosen.get(index), label)) : before;
      const banner = change.banner ?? raised(known, labels, set?.labels ?? []);
      return {
        labelled: await changeLabels(id, revision, asked(chosen ? labels : null, banner, why)),
        count: chosen?.size ?? 0,
      };
    },
    onSuccess: ({ labelled, count }, { change: { places, look } }) => {
      look.end();
      client.setQueryData(draftLabelsQuery(id, labelled.revision).queryKey, labelled);
      setLowering(null);
      if (places) announce(`${countText(count, "span", "spans")}: ${places[0]?.label ?? set?.default}`);
    },
    onError: (error, { change }) => {
      if (error instanceof Problem && error.status === 409 && error.extra.kind === "lowering") setLowering(change);
      else {
        change.look.end();
        toastError("It was not labelled.", error);
      }
    },
  });
  if (!any) return null;
  return {
    set,
    draft,
    asked: () => {
      const { state } = editor;
      const shown = state.field(labelsField);
      const labels = Array.from(ranges(state.field(spansField)), (span) => labelOf(shown, span));
      return asked(labels, raised(draft, labels, set.labels), null);
    },
    change: (change) => {
      if (change.places?.length !== 0) changing.mutate({ change: { ...change, look: new Look(editor) }, why: null });
    },
    lowering,
    lower: (why) => lowering && changing.mutate({ change: lowering, why }),
    giveUp: () => {
      lowering?.look.end();
      setLowering(null);
    },
  };
}

function named(chosen: string | null | undefined, before: string | null): string | null {
  return chosen === undefined ? before : chosen;
}

/** By the number of the span; where several places are in one span, the highest. */
export function labelsAt(
  editor: LargeEditor,
  places: readonly Labelled[],
  look: Pick<Look, "moved">,
  known: readonly LabelShown[] = [],
): ReadonlyMap<number, string | null> {
  const ranks = new Map<string | null, number>(known.map(({ name, rank }) => [name, rank]));
  const rank = (label: string | null) => ranks.get(label) ?? Number.NEGATIVE_INFINITY;
  const wanted = places.flatMap(({ place, label }) => {
    const now = look.moved(place);
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
