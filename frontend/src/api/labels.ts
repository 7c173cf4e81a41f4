/** Labels: how much a classified span is worth. They stay with its author; on the wire it is classified or not. */
import { queryOptions } from "@tanstack/react-query";
import { api, dataOf, ifMatch } from "./client";
import type { components } from "./schema";

export type LabelSetShown = components["schemas"]["LabelSetShown"];
export type DraftLabelled = components["schemas"]["DraftLabelled"];

/** What somebody wants; see docs/api.md. */
export interface LabelsAsked {
  /** Of each span in order, null for the default; null leaves them all. */
  labels: readonly (string | null)[] | null;
  /** Null: the floor. */
  banner: string | null;
  compilation_reason: string | null;
  lowering_reason: string | null;
}

/** The labels that there are here; none, if no set is chosen. */
export const labelSetQuery = queryOptions({
  queryKey: ["labels"],
  queryFn: ({ signal }) => dataOf(api.GET("/api/v1/labels", { signal })),
  staleTime: Number.POSITIVE_INFINITY,
});

/** Those of a draft at a revision. Only where there is a set. */
export const draftLabelsQuery = (id: string, revision: number) =>
  queryOptions({
    queryKey: ["drafts", "labels", id, revision],
    queryFn: ({ signal }) =>
      dataOf(api.GET("/api/v1/drafts/{draft_id}/labels", { params: { path: { draft_id: id } }, signal })),
  });

/** Throws a `Problem` 409 with `extra.kind` "lowering" where something is lowered and no reason given. */
export function changeLabels(id: string, revision: number, asked: LabelsAsked): Promise<DraftLabelled> {
  return dataOf(
    api.PUT("/api/v1/drafts/{draft_id}/labels", {
      params: { path: { draft_id: id }, header: ifMatch(revision) },
      body: { ...asked, labels: asked.labels && [...asked.labels] },
    }),
  );
}
