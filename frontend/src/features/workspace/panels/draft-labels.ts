/**
 * The labels of an open document. The gateway stores them by the order of the spans in a save. A change is applied there,
 * to the labels that it has by then, once everything is saved. So an editor only provides its spans in order, and which
 * of them a change is for.
 */
import { plural, t } from "@lingui/core/macro";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import {
  changeLabels,
  type DraftLabelled,
  draftLabelsQuery,
  type LabelSetShown,
  type LabelsAsked,
  labelSetQuery,
} from "@/api/labels";
import { Problem } from "@/api/problem";
import { announce } from "@/components/announce";
import { toastError } from "@/components/ui/toasts";
import { useSaver, useSaveState } from "../saving/saver-context";
import type { BannerLabels } from "./LabelBanner";
import { type Banner, carriedSince, kept, type Label, type Labelled, rankIn, remembered } from "./labels-after-edit";

/** The spans of a text at one moment. */
export interface SpanTexts {
  readonly count: number;
  texts(): readonly string[];
}

interface Change {
  readonly banner?: Banner;
  /** Nothing is lowered by it: where a span has a higher label than the one that is chosen, it keeps that. */
  readonly raises?: boolean;
}

interface LabelledEditor<Asked extends Change> {
  readonly spans: () => SpanTexts;
  /** Shows these, one for each span that is there now. */
  readonly show: (labels: readonly Label[], rank: (label: Label) => number) => void;
  /** The new labels by the number of the span, as it is now; null where none is to change. */
  readonly chosen: (change: Asked, set: LabelSetShown) => ReadonlyMap<number, Label> | null;
  /** It is not asked about any more. */
  readonly end?: (change: Asked) => void;
}

export interface DraftLabels<Asked extends Change> extends Omit<BannerLabels, "change"> {
  readonly change: (change: Asked) => void;
  /** All of them as they are here, for a document that is to have the same; null as long as that is not known. */
  readonly asked: () => LabelsAsked | null;
}

/** What the spans were labelled at a save. */
interface Known {
  readonly labels: readonly Label[];
  readonly spans: SpanTexts;
}

function labelled({ labels, spans }: Known): Labelled {
  return { labels, texts: spans.texts() };
}

/** The labels that this page knows. The texts of spans are read only when needed: there may be a million. */
interface AllKnown {
  /** Before `first`. */
  readonly earlier: ReadonlyMap<string, Label>;
  /** When the document was opened, or a label was changed here last. */
  readonly first: Known;
  readonly latest: Known;
}

function onTop(before: AllKnown | null, latest: Known, changed: boolean, rank: (label: Label) => number): AllKnown {
  if (!before) return { earlier: new Map(), first: latest, latest };
  if (!changed) return { ...before, latest };
  // Of texts that are the same now, `latest` says all.
  const others = [...new Set([before.first, before.latest])].filter(({ spans }) => spans !== latest.spans);
  const earlier = others.reduce((all, save) => remembered(all, labelled(save), rank), before.earlier);
  return { earlier, first: latest, latest };
}

/** Null where there are no labels. */
export function useDraftLabels<Asked extends Change>(
  id: string,
  editor: LabelledEditor<Asked>,
): DraftLabels<Asked> | null {
  const saver = useSaver();
  const client = useQueryClient();
  const { phase, revision } = useSaveState();
  const { data: set } = useQuery(labelSetQuery);
  const any = set !== undefined && set.labels.length > 0;
  const { data } = useQuery({ ...draftLabelsQuery(id, revision), enabled: any && phase.is === "saved" });
  // Of a save before, until those of the latest are known, if ever: what was raised is raised meanwhile, too.
  const [draft, setDraft] = useState<DraftLabelled | null>(null);
  if (data && data !== draft) setDraft(data);
  /** They await a reason, one after the other. */
  const [lowerings, setLowerings] = useState<readonly Asked[]>([]);
  const lowering = lowerings[0] ?? null;
  const done = (change: Asked) => {
    editor.end?.(change);
    setLowerings((now) => now.filter((one) => one !== change));
  };
  const saved = useRef<{ readonly revision: number; readonly spans: SpanTexts } | null>(null);
  const known = useRef<AllKnown | null>(null);
  const changed = useRef(false);
  const isSaved = () => saver.state().phase.is === "saved" && saver.state().revision === revision;

  const remember = useEffectEvent(() => {
    if (isSaved()) saved.current = { revision, spans: editor.spans() };
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: at each save the spans are those of that revision
  useEffect(() => remember(), [phase.is, revision]);
  const learn = useEffectEvent(() => {
    const labels = draft?.labels;
    const spans = saved.current?.revision === draft?.revision ? saved.current?.spans : undefined;
    // They are identified by their order in the saved text.
    if (!set || !labels || spans?.count !== labels.length) return;
    known.current = onTop(known.current, { labels, spans }, changed.current, rankIn(set));
    changed.current = false;
    if (isSaved() && draft?.revision === revision) editor.show(labels, rankIn(set));
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: after each save they are shown again
  useEffect(() => learn(), [draft, phase.is, revision]);

  const changing = useMutation({
    gcTime: 0, // it holds the text
    // One after the other: each is made on top of those that the one before left.
    scope: { id: `labels ${id}` },
    mutationFn: async ({ change, why }: { change: Asked; why: string | null }) => {
      if (!set) throw new Error("labels are changed where there are none");
      const { phase, revision } = await saver.flush();
      if (phase.is !== "saved") throw new Problem(0, t`Labels apply to the saved document, and it could not be saved.`);
      const chosen = editor.chosen(change, set);
      // Loaded again: a label that another page changed does not change the revision.
      const now = await client.fetchQuery({ ...draftLabelsQuery(id, revision), staleTime: 0 });
      const before = now.labels ?? [];
      const rank = rankIn(set);
      const labels = before.map((label, index) => {
        const next = chosen?.get(index);
        return next === undefined || (change.raises && rank(label) > rank(next)) ? label : next;
      });
      const raised = now.banner === now.floor ? null : kept(now, labels, rank);
      return {
        labelled: await changeLabels(id, revision, asked(chosen ? labels : null, change.banner ?? raised, why)),
        names: labels.filter((label, index) => label !== before[index]).map((label) => `${label ?? set.default}`),
      };
    },
    onSuccess: ({ labelled, names }, { change }) => {
      done(change);
      changed.current = true;
      client.setQueryData(draftLabelsQuery(id, labelled.revision).queryKey, labelled);
      if (names.length > 0) announce(countsText(names));
    },
    onError: (error, { change, why }) => {
      if (error instanceof Problem && error.status === 409 && error.extra.kind === "lowering")
        setLowerings((now) => (now.includes(change) ? now : [...now, change]));
      else {
        // With a reason it is still asked about, and may be tried again.
        if (why === null) done(change);
        toastError(change.banner ? t`The banner was not changed.` : t`The labels were not changed.`, error);
      }
    },
  });
  if (!any) return null;
  return {
    set,
    draft,
    asked: () => {
      if (!known.current || !draft) return null;
      const { earlier, first, latest } = known.current;
      const rank = rankIn(set);
      const had = labelled(latest);
      const here = carriedSince(earlier, first === latest ? had : labelled(first), had, editor.spans().texts(), rank);
      return asked(here, kept(draft, here, rank), null);
    },
    change: (change) => changing.mutate({ change, why: null }),
    lowering,
    lower: (why) => lowering && changing.mutate({ change: lowering, why }),
    giveUp: () => lowering && done(lowering),
  };
}

/** `2 spans: SECRET; 1 span: MIDDLE`. */
function countsText(names: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts]
    .map(([name, count]) => plural(count, { one: `# span: ${name}`, other: `# spans: ${name}` }))
    .join("; ");
}

function asked(labels: readonly Label[] | null, banner: Banner | null, why: string | null): LabelsAsked {
  return {
    labels,
    banner: banner?.name ?? null,
    compilation_reason: (banner?.name && banner.reason) || null,
    lowering_reason: why,
  };
}
