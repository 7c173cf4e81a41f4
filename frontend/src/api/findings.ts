/** What the gateway's leak guard finds in what is stored: the look that sending takes, too. See docs/leak-guard.md. */
import { queryOptions } from "@tanstack/react-query";
import { api, got } from "./client";
import type { components } from "./schema";

export type FindingShown = components["schemas"]["FindingShown"];
export type DocumentChecked = components["schemas"]["DocumentChecked"];

/** As the gateway bounds it. */
export const MOST_REASON = 1000;

/** Of one save of a draft, which never changes; but policies do, and so does what was sent before. */
export const checkQuery = (draftId: string, revision: number) =>
  queryOptions({
    queryKey: ["drafts", "check", draftId, revision],
    queryFn: ({ signal }) =>
      got(
        api.POST("/api/v1/drafts/{draft_id}/check", {
          params: { path: { draft_id: draftId } },
          signal,
        }),
      ),
    staleTime: 0,
    retry: false,
  });
