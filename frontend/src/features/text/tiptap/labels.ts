/** The labels of a short text's spans. Here each is known by its span's id, which stays with the span while one writes. */

import type { Node } from "@tiptap/pm/model";
import { createContext, useContext, useEffect, useMemo, useState } from "react";
import type { LabelSetShown, LabelsAsked } from "@/api/labels";
import { type Banner, given, type Label, rankIn } from "@/features/workspace/panels/carried";
import { useDraftLabels } from "@/features/workspace/panels/draft-labels";
import type { BannerLabels } from "@/features/workspace/panels/LabelBanner";
import type { TextSpan } from "@/marked-text/markup";
import { textSpans } from "./engine/bulk";
import { runsOf } from "./engine/runs";
import { labelSpans, type SpanLabels } from "./engine/span-labels";
import { useWorkbench } from "./workbench";

/** What is to change: labels by span, null for the default; or the banner. */
export interface LabelChange {
  readonly spans?: ReadonlyMap<number, Label>;
  readonly banner?: Banner;
  /** No span is lowered by it. */
  readonly raises?: boolean;
}

export interface Labels extends BannerLabels {
  /** The label of each span, the default where it has none of its own. */
  readonly bySpan: SpanLabels;
  /** All of them as they are here, for a document that is to have the same; null as long as that is not known. */
  readonly asked: () => LabelsAsked | null;
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
  const { editor, id, watch } = useWorkbench();
  const [own, setOwn] = useState<ReadonlyMap<number, Label>>(new Map());
  const labels = useDraftLabels<LabelChange>(id, {
    spans: () => {
      const { doc, spans } = watch.now();
      return {
        count: spans.length,
        texts: () => runsOf(doc).flatMap(({ span, text }) => (span === null ? [] : [text])),
      };
    },
    show: (all) => setOwn(new Map(watch.now().spans.map((span, index) => [span.id, all[index] ?? null]))),
    chosen: ({ spans }) =>
      spans
        ? new Map(
            watch.now().spans.flatMap(({ id: span }, index) => {
              const label = spans.get(span);
              return label === undefined ? [] : [[index, label] as const];
            }),
          )
        : null,
  });
  const any = labels !== null;
  const bySpan = useMemo(() => {
    const known = new Map<number, string>();
    for (const [span, label] of own) if (label !== null) known.set(span, label);
    return known;
  }, [own]);
  useEffect(() => {
    if (any && !editor.isDestroyed) editor.view.dispatch(labelSpans(editor.state, bySpan));
  }, [any, bySpan, editor]);
  return (
    labels && {
      ...labels,
      bySpan,
      change: (change) => {
        if (change.spans?.size !== 0) labels.change(change);
      },
    }
  );
}

/** The spans that hold these hits of a policy, each with the highest label of theirs. `hits`: in order. */
export function labelsOf(
  hits: readonly (TextSpan & { readonly label: string })[],
  doc: Node,
  set: LabelSetShown,
): Map<number, string> {
  const rank = rankIn(set);
  const found = new Map<number, string>();
  const spans = textSpans(doc);
  let index = 0;
  for (const { from, label: named } of hits) {
    const label = given(set, named);
    while ((spans[index]?.to ?? Number.POSITIVE_INFINITY) <= from) index++;
    const span = spans[index];
    if (!span || span.from > from || label === undefined) continue;
    const before = found.get(span.id);
    if (before === undefined || rank(label) > rank(before)) found.set(span.id, label);
  }
  return found;
}
