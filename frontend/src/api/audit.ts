/** The audit log, for admins: who did what, and why. */
import { keepPreviousData } from "@tanstack/react-query";
import { api, dataOf } from "./client";
import { pagedQuery } from "./paged";
import type { components, paths } from "./schema";

export type AuditEntryShown = components["schemas"]["AuditEntryShown"];

export type AuditChain = components["schemas"]["AuditChain"];

type AuditParameters = NonNullable<paths["/api/v1/audit"]["get"]["parameters"]["query"]>;

/** What an entry is about. */
export type AuditKind = NonNullable<AuditParameters["kind"]>;

/** Filters, all of which apply. `actor`: a login. `since`, `until`: ISO 8601. */
export interface AuditFilters {
  search?: string;
  actor?: string;
  kind?: AuditKind;
  since?: string;
  until?: string;
}

/** The latest first. The previous ones stay until the new ones are loaded. */
export const auditQuery = (filters: AuditFilters) => ({
  ...pagedQuery(["audit", filters], (page, signal) =>
    dataOf(api.GET("/api/v1/audit", { params: { query: { ...filters, ...page } }, signal })),
  ),
  placeholderData: keepPreviousData,
  // The page always shows the latest entries.
  staleTime: 0,
});

/** The address of a file with the entries. `jsonl` proves them, `csv` is for spreadsheets. */
export function auditHref(filters: AuditFilters, format: "csv" | "jsonl"): string {
  return `/api/v1/audit/export?${new URLSearchParams({ ...filters, format })}`;
}

/** Has the gateway check that no entry of the log was changed or removed. */
export function checkChain(): Promise<AuditChain> {
  return dataOf(api.GET("/api/v1/audit/chain"));
}
