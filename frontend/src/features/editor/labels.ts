/**
 * The labels of an open text's spans. The gateway keeps them by the order of the spans at a save; here each is known by
 * its span's id, which stays with the span while one writes. A label is changed at the gateway once all is saved.
 */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { createContext, useContext, useEffect, useMemo, useState } from "react";
import {
  changeLabels,
  type DraftLabelled,
  draftLabelsQuery,
  type LabelShown,
  type LabelsAsked,
  labelSetQuery,
} from "@/api/labels";
import { Problem } from "@/api/problem";
import { announce } from "@/components/announce";
import { toastError } from "@/components/ui/toasts";
import { labelSpans, type SpanLabels } from "@/editor/span-labels";
import { countText } from "@/features/policies/words";
import type { BannerLabels } from "./LabelBanner";
import { useSaveState } from "./saving";
import { useWorkbench, type Workbench } from "./workbench";

/** What is to change: labels by span, null for the default; or the banner. */
export interface LabelChange {
  readonly spans?: ReadonlyMap<number, string | null>;
  readonly banner?: Banner;
}

/** Its name null: the floor. */
export interface Banner {
  readonly name: string | null;
  readonly reason: string;
}

export interface Labels extends BannerLabels {
  /** The label of each span, the default where it has none of its own. */
  readonly bySpan: SpanLabels;
  /** All of them as they are here, for a document that is to have the same. */
  readonly asked: () => LabelsAsked;
  readonly change: (change: LabelChange) => void;
}

const LabelsContext = createContext<Labels | null>(null);

export const LabelsProvider = LabelsContext.Provider;

/** Null where there are no labels. */
export function useLabels(): Labels | null {
  return useContext(LabelsContext);
}

/** For the page that provides them. */
export function useLabelling(): Labels | null {
  const workbench = useWorkbench();
  const { editor, id, watch } = workbench;
  const client = useQueryClient();
  const { phase, revision } = useSaveState();
  const { data: set } = useQuery(labelSetQuery);
  const any = set !== undefined && set.labels.length > 0;
  const { data: draft = null } = useQuery({ ...draftLabelsQuery(id, revision), enabled: any && phase.is === "saved" });
  const [own, setOwn] = useState<ReadonlyMap<number, string | null>>(new Map());
  const [lowering, setLowering] = useState<LabelChange | null>(null);

  // A save's labels are told apart by their order, which is known while the text is as it was saved.
  useEffect(() => {
    if (!draft?.labels || phase.is !== "saved" || draft.revision !== revision) return;
    const { spans } = watch.now();
    if (spans.length !== draft.labels.length) return;
    setOwn(new Map(spans.map((span, index) => [span.id, draft.labels?.[index] ?? null])));
  }, [draft, phase.is, revision, watch]);

  const bySpan = useMemo(() => {
    const known = new Map<number, string>();
    for (const [span, label] of own) if (label !== null) known.set(span, label);
    return known;
  }, [own]);
  useEffect(() => {
    if (any && !editor.isDestroyed) editor.view.dispatch(labelSpans(editor.state, bySpan));
  }, [any, bySpan, editor]);

  const changing = useMutation({
    mutationFn: ({ change, why }: { change: LabelChange; why: string | null }) =>
      put(workbench, set?.labels ?? [], { own, draft }, change, why),
    onSuccess: (labelled, { change: { spans } }) => {
      client.setQueryData(draftLabelsQuery(id, labelled.revision).queryKey, labelled);
      setLowering(null);
      if (spans) announce(`${countText(spans.size, "span", "spans")}: ${[...spans.values()][0] ?? set?.default}`);
    },
    onError: (error, { change }) => {
      if (error instanceof Problem && error.status === 409 && error.extra.kind === "lowering") setLowering(change);
      else toastError("It was not labelled.", error);
    },
  });
  if (!any) return null;
  return {
    set,
    bySpan,
    draft,
    asked: () => {
      const labels = watch.now().spans.map(({ id: span }) => own.get(span) ?? null);
      return asked(labels, raised(draft, labels, set.labels), null);
    },
    change: (change) => {
      const { spans } = change;
      if (spans?.size === 0) return;
      changing.mutate({ change, why: null });
    },
    lowering,
    lower: (reason) => lowering && changing.mutate({ change: lowering, why: reason }),
    giveUp: () => setLowering(null),
  };
}

/** Saves what is there, and changes the labels of that save. */
async function put(
  { id, saver, watch }: Workbench,
  known: readonly LabelShown[],
  { own, draft }: { own: ReadonlyMap<number, string | null>; draft: DraftLabelled | null },
  change: LabelChange,
  why: string | null,
): Promise<DraftLabelled> {
  const { phase, revision } = await saver.flush();
  if (phase.is !== "saved") throw new Problem(0, "The document could not be saved first.");
  const labels = watch.now().spans.map((span) => labelOf(span.id, own, change.spans));
  const banner = change.banner ?? raised(draft, labels, known);
  return changeLabels(id, revision, asked(change.spans ? labels : null, banner, why));
}

/** What it was raised to stays, as long as it is higher than every label. */
export function raised(
  draft: DraftLabelled | null,
  labels: readonly (string | null)[],
  known: readonly LabelShown[],
): Banner | null {
  const ranks = new Map(known.map(({ name, rank }) => [name, rank]));
  const rank = (name: string | null) => ranks.get(name ?? "") ?? Number.NEGATIVE_INFINITY;
  if (!draft?.banner || draft.banner === draft.floor || labels.some((one) => rank(one) >= rank(draft.banner)))
    return null;
  return { name: draft.banner, reason: draft.compilation_reason ?? "" };
}

export function asked(
  labels: readonly (string | null)[] | null,
  banner: Banner | null,
  why: string | null,
): LabelsAsked {
  return {
    labels,
    banner: banner?.name ?? null,
    compilation_reason: (banner?.name && banner.reason) || null,
    lowering_reason: why,
  };
}

function labelOf(
  span: number,
  own: ReadonlyMap<number, string | null>,
  changed: ReadonlyMap<number, string | null> | undefined,
): string | null {
  const label = changed?.get(span);
  return label === undefined ? (own.get(span) ?? null) : label;
}
