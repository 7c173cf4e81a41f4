/** What was sent, and how it goes. Authors see and steer their own; admins see everybody's. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, dataOf } from "./client";
import { pagedQuery } from "./paged";
import type { components } from "./schema";
import type { TransferShown, TransferState } from "./types";

type TransferAsked = components["schemas"]["TransferAsked"];
type BatchAsked = components["schemas"]["BatchAsked"];

/** `sieve`: both channels. `secure-only`: everything on the secure one. */
export type Mode = NonNullable<TransferAsked["mode"]>;

/** All of them count together. `since`: ISO 8601. `author`: a login. */
export interface TransferFilters {
  search?: string;
  state?: TransferState;
  peer?: string;
  author?: string;
  since?: string;
}

const TRANSFER = "/api/v1/transfers/{transfer_id}" as const;

/** Mine, or everybody's for an admin, the latest first. Those found before stay until the new ones come. */
export const transfersQuery = (filters: TransferFilters) => ({
  ...pagedQuery(["transfers", "list", filters], (page, signal) =>
    dataOf(api.GET("/api/v1/transfers", { params: { query: { ...filters, ...page } }, signal })),
  ),
  placeholderData: keepPreviousData,
});

/** One, with its tries. */
export const transferQuery = (id: string) =>
  queryOptions({
    queryKey: ["transfers", "one", id],
    queryFn: ({ signal }) => dataOf(api.GET(TRANSFER, { params: { path: { transfer_id: id } }, signal })),
  });

/** The receipt's text, byte for byte as the peer signed it. It never changes. */
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

/** Queues a document; durable when it answers. Throws a `Problem` that says which recipient the peer does not know. */
export function sendDocument(asked: TransferAsked): Promise<TransferShown> {
  return dataOf(api.POST("/api/v1/transfers", { body: asked }));
}

/** Queues several documents that travel together: all of them or none. Throws a `Problem` that names the one it is for. */
export async function sendTogether(asked: BatchAsked): Promise<readonly TransferShown[]> {
  const { transfers } = await dataOf(api.POST("/api/v1/batches", { body: asked }));
  return transfers;
}

/** Ends one that the peer does not have yet. What comes back may still be sending: the peer has to be told first. */
export function cancelTransfer(id: string): Promise<TransferShown> {
  return dataOf(api.POST(`${TRANSFER}/cancel`, { params: { path: { transfer_id: id } } }));
}

/** Tries a failed one again, or a waiting one at once. */
export function requeueTransfer(id: string): Promise<TransferShown> {
  return dataOf(api.POST(`${TRANSFER}/requeue`, { params: { path: { transfer_id: id } } }));
}

/** Has the gateway compute again whether the receipt and what is stored still fit. */
export function verifyTransfer(id: string) {
  return dataOf(api.GET(`${TRANSFER}/verification`, { params: { path: { transfer_id: id } } }));
}
