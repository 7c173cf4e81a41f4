/** The audit log, for admins: who did what, and why. */
import { api, dataOf } from "./client";
import { pagedQuery } from "./paged";
import type { components } from "./schema";

export type AuditEntryShown = components["schemas"]["AuditEntryShown"];

export type AuditChain = components["schemas"]["AuditChain"];

/** The latest first. */
export const auditQuery = {
  ...pagedQuery(["audit"], (query, signal) => dataOf(api.GET("/api/v1/audit", { params: { query }, signal }))),
  // The page always shows the latest entries.
  staleTime: 0,
};

/** Has the gateway check that no entry of the log was changed or removed. */
export function checkChain(): Promise<AuditChain> {
  return dataOf(api.GET("/api/v1/audit/chain"));
}
