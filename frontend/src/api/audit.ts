/** The audit log: who did what that others answer for. For admins. */
import { infiniteQueryOptions } from "@tanstack/react-query";
import { api, dataOf } from "./client";
import type { components } from "./schema";

export type AuditEntryShown = components["schemas"]["AuditEntryShown"];

export type AuditChain = components["schemas"]["AuditChain"];

const PAGE = 50;

/** The latest first. */
export const auditQuery = infiniteQueryOptions({
  queryKey: ["audit"],
  queryFn: ({ pageParam, signal }) =>
    dataOf(
      api.GET("/api/v1/audit", { params: { query: { limit: PAGE, ...(pageParam && { after: pageParam }) } }, signal }),
    ),
  initialPageParam: "",
  getNextPageParam: ({ next }) => next,
  // Anyone who opens the page wants to see what happened until now.
  staleTime: 0,
});

/** Has the gateway look whether each entry is as it was written, and linked to the one before it. */
export function checkChain(): Promise<AuditChain> {
  return dataOf(api.GET("/api/v1/audit/chain"));
}
