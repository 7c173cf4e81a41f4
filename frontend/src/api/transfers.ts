/** Transfers. Authors see and control their own; admins see all of them. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, dataOf } from "./client";
import { pagedQuery } from "./paged";
import type { components } from "./schema";
import type { TransferShown, TransferState } from "./types";

type SendAsked = components["schemas"]["SendToSeveral"];

/** `sieve`: both channels. `secure-only`: everything on the secure one. */
export type Mode = NonNullable<SendAsked["mode"]>;

/** Filters, all of which apply, and the order. `since`: ISO 8601. `author`: a login. */
export interface TransferFilters {
  search?: string;
  state?: TransferState;
  peer?: string;
  author?: string;
  since?: string;
  sort?: "time" | "name" | "peer" | "size" | "state";
  descending?: boolean;
}

const TRANSFER = "/api/v1/transfers/{transfer_id}" as const;

/** My transfers, or all for an admin, latest first. The previous ones stay until the new ones are loaded. */
export const transfersQuery = (filters: TransferFilters) => ({
  ...pagedQuery(
    ["transfers", "list", filters],
    (page, signal) => dataOf(api.GET("/api/v1/transfers", { params: { query: { ...filters, ...page } }, signal })),
    filters.search,
  ),
  placeholderData: keepPreviousData,
});

/** How many transfers a list has, and the size of their documents. */
export const transferCountsQuery = (filters: TransferFilters) =>
  queryOptions({
    queryKey: ["transfers", "counts", filters],
    queryFn: ({ signal }) => dataOf(api.GET("/api/v1/transfers/counts", { params: { query: filters }, signal })),
    placeholderData: keepPreviousData,
  });

/** The IDs of all transfers of a list; of the first 5000, if there are more. */
export async function transferIds(filters: TransferFilters): Promise<string[]> {
  return (await dataOf(api.GET("/api/v1/transfers/ids", { params: { query: filters } }))).ids;
}

/** Cancels or retries transfers, at most 5000. Returns the IDs of those whose state allowed it. */
export function changeTransfers(ids: readonly string[], change: "cancel" | "retry") {
  return dataOf(api.POST("/api/v1/transfers/changes", { body: { ids: [...ids], change } }));
}

/** One zip with the documents of these transfers, each once. */
export async function transfersArchive(ids: readonly string[]): Promise<Blob> {
  const { data } = await api.POST("/api/v1/transfers/archive", { body: { ids: [...ids] }, parseAs: "blob" });
  return data as unknown as Blob;
}

/** A transfer with its attempts. */
export const transferQuery = (id: string) =>
  queryOptions({
    queryKey: ["transfers", "one", id],
    queryFn: ({ signal }) => dataOf(api.GET(TRANSFER, { params: { path: { transfer_id: id } }, signal })),
  });

/** The receipt's text, exactly as the peer signed it. It never changes. */
export const receiptQuery = (id: string) =>
  queryOptions({
    queryKey: ["content", "receipt", id],
    queryFn: async ({ signal }) => {
      const { data } = await api.GET(`${TRANSFER}/receipt`, {
        params: { path: { transfer_id: id } },
        parseAs: "text",
        signal,
      });
      return data as string;
    },
    staleTime: Number.POSITIVE_INFINITY,
  });

/**
 * Queues documents for people at one or several gateways: all or none; the answer means that they are stored. Throws a
 * `Problem` that names the documents at fault, or recipients that a peer does not know.
 */
export async function sendDocuments(asked: SendAsked): Promise<readonly TransferShown[]> {
  const { transfers } = await dataOf(api.POST("/api/v1/sends", { body: asked }));
  return transfers;
}

/** Cancels a transfer. It may still be sending when this resolves, because the gateway tells the peer first. */
export function cancelTransfer(id: string): Promise<TransferShown> {
  return dataOf(api.POST(`${TRANSFER}/cancel`, { params: { path: { transfer_id: id } } }));
}

/** Retries a failed or waiting transfer now. */
export function requeueTransfer(id: string): Promise<TransferShown> {
  return dataOf(api.POST(`${TRANSFER}/requeue`, { params: { path: { transfer_id: id } } }));
}

/** Has the gateway check the receipt against what it has stored. */
export function verifyTransfer(id: string) {
  return dataOf(api.GET(`${TRANSFER}/verification`, { params: { path: { transfer_id: id } } }));
}
