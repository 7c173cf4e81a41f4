/** Documents that peers delivered to this gateway, for admins. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, dataOf } from "./client";
import { pagedQuery, pollEvery } from "./paged";
import type { components } from "./schema";

export type ReceivedShown = components["schemas"]["ReceivedShown"];
export type HolderShown = components["schemas"]["HolderShown"];
export type IncompleteShown = components["schemas"]["IncompleteShown"];

/** Filters, all of which apply, and the order. `since`: ISO 8601. `recipient`: a login. `transfer`: the id of one. */
export interface ReceivedFilters {
  search?: string;
  peer?: string;
  recipient?: string;
  since?: string;
  transfer?: string;
  sort?: "time" | "name" | "peer" | "size";
  descending?: boolean;
}

/** The gateway announces no changes of these lists. */
const POLL_MS = 10_000;

/** Received documents, latest first. The previous ones stay until the new ones are loaded. */
export const receivedQuery = (filters: ReceivedFilters) => ({
  ...pagedQuery(
    ["received", "list", filters],
    (page, signal) => dataOf(api.GET("/api/v1/received", { params: { query: { ...filters, ...page } }, signal })),
    filters.search,
  ),
  placeholderData: keepPreviousData,
  refetchInterval: pollEvery(POLL_MS),
});

/** How many documents a list has, and their size. */
export const receivedCountsQuery = (filters: ReceivedFilters) =>
  queryOptions({
    queryKey: ["received", "counts", filters],
    queryFn: ({ signal }) => dataOf(api.GET("/api/v1/received/counts", { params: { query: filters }, signal })),
    placeholderData: keepPreviousData,
  });

/** Documents of which only a part arrived. */
export const incompleteQuery = queryOptions({
  queryKey: ["received", "incomplete"],
  queryFn: ({ signal }) => dataOf(api.GET("/api/v1/received/incomplete", { signal })),
  refetchInterval: POLL_MS,
});
