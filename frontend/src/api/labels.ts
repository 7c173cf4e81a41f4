/** Labels of classified spans, such as NATO SECRET. Those of a text are not sent. */
import { queryOptions } from "@tanstack/react-query";
import { api, dataOf, ifMatch } from "./client";
import type { components } from "./schema";

export type LabelSetShown = components["schemas"]["LabelSetShown"];
export type DraftLabelled = components["schemas"]["DraftLabelled"];

/** A change of labels; see docs/api.md. */
export interface LabelsAsked {
  /** The label of each span in order, null for the default; null changes none. */
  labels: readonly (string | null)[] | null;
  /** Null: the floor. */
  banner: string | null;
  compilation_reason: string | null;
  lowering_reason: string | null;
}

/** The labels of this gateway; none if it has no label set. */
export const labelSetQuery = queryOptions({
  queryKey: ["labels"],
  queryFn: ({ signal }) => dataOf(api.GET("/api/v1/labels", { signal })),
  staleTime: Number.POSITIVE_INFINITY,
});

/** The labels of a draft at a revision. Only for gateways with a label set. */
export const draftLabelsQuery = (id: string, revision: number) =>
  queryOptions({
    queryKey: ["drafts", "labels", id, revision],
    queryFn: ({ signal }) =>
      dataOf(api.GET("/api/v1/drafts/{draft_id}/labels", { params: { path: { draft_id: id } }, signal })),
  });

/** Throws a `Problem` 409 with `extra.kind` "lowering" if a label is lowered without a reason. */
export function changeLabels(id: string, revision: number, asked: LabelsAsked): Promise<DraftLabelled> {
  return dataOf(
    api.PUT("/api/v1/drafts/{draft_id}/labels", {
      params: { path: { draft_id: id }, header: ifMatch(revision) },
      body: { ...asked, labels: asked.labels && [...asked.labels] },
    }),
  );
}
