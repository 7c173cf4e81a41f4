/**
 * Documents that I received. An entry's `editions` are those that I may read; without clearance, only `gaps` and
 * `redacted`.
 */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { decode } from "@/marked-text/markup";
import { api, dataOf } from "./client";
import type { Mark } from "./files";
import { pagedQuery } from "./paged";
import { cutShort } from "./problem";
import type { components } from "./schema";
import type { DraftShown, EntryShown, VerificationShown } from "./types";

export type InboxEdition = EntryShown["editions"][number];
/** The editions that the reader shows; both are marked text. */
export type ShownEdition = "marked" | "gaps";

const ONE = "/api/v1/inbox/{transfer_id}" as const;

/** Which entries, and in which order. `search`: in names of documents, senders and gateways. */
export interface EntryFilter {
  search?: string;
  tag?: string;
  unread?: boolean;
  /** Those that I deleted and can still restore. */
  deleted?: boolean;
  sort?: "time" | "sender" | "name" | "size";
  descending?: boolean;
}

/** The key of all lists of entries. */
export const INBOX_LISTS = ["inbox", "list"] as const;

/** What I received, latest first, unless `filter` says otherwise. The previous list stays until the new one is loaded. */
export const inboxQuery = (filter: EntryFilter = {}) => ({
  ...pagedQuery(
    [...INBOX_LISTS, filter],
    (page, signal) => dataOf(api.GET("/api/v1/inbox", { params: { query: { ...page, ...filter } }, signal })),
    filter.search,
  ),
  placeholderData: keepPreviousData,
});

/** How many entries there are, and how many of them are unread. */
export const entryCountsQuery = (filter: EntryFilter = {}) =>
  queryOptions({
    queryKey: ["inbox", "counts", filter],
    queryFn: ({ signal }) => dataOf(api.GET("/api/v1/inbox/counts", { params: { query: filter }, signal })),
    placeholderData: keepPreviousData,
  });

/** The entries that arrived last, for notices. */
export const latestEntriesQuery = queryOptions({
  queryKey: ["inbox", "latest"],
  queryFn: async ({ signal }) =>
    (await dataOf(api.GET("/api/v1/inbox", { params: { query: { limit: 20 } }, signal }))).items,
});

/** The IDs of all entries of a list; of the first 5000, if there are more. */
export async function entryIds(filter: EntryFilter): Promise<string[]> {
  return (await dataOf(api.GET("/api/v1/inbox/ids", { params: { query: filter } }))).ids;
}

export type EntriesChange = components["schemas"]["EntriesChange"]["change"];

/** Changes entries, at most 5000; returns the IDs of those that changed. `tag`: for `tag` and `untag`. */
export function changeEntries(
  ids: readonly string[],
  change: EntriesChange,
  tag: string | null = null,
): Promise<components["schemas"]["EntriesChanged"]> {
  return dataOf(api.POST("/api/v1/inbox/changes", { body: { ids: [...ids], change, ...(tag !== null && { tag }) } }));
}

/** The tags of my entries. */
export const entryTagsQuery = queryOptions({
  queryKey: ["inbox", "tags"],
  queryFn: async ({ signal }) => (await dataOf(api.GET("/api/v1/inbox/tags", { signal }))).tags,
});

/** The most documents in one zip. */
export const MOST_IN_ARCHIVE = 1000;

/** One zip with the documents of these entries. Marks them as read. */
export async function entriesArchive(ids: readonly string[], edition: "full" | "redacted"): Promise<Blob> {
  const { data } = await api.POST("/api/v1/inbox/archive", { body: { ids: [...ids], edition }, parseAs: "blob" });
  return data as unknown as Blob;
}

/** `id`: the entry's. */
export const entryQuery = (id: string) =>
  queryOptions({
    queryKey: ["inbox", "one", id],
    queryFn: ({ signal }) => dataOf(api.GET(ONE, { params: pathOf(id), signal })),
  });

/**
 * A received document as marked text. The request marks it as read. The page that shows it is its only cache.
 *
 * Throws a `Problem`, or `NotUtf8` if the file is not UTF-8 text.
 */
export const entryContentQuery = (id: string, edition: ShownEdition) =>
  queryOptions({
    queryKey: ["content", "inbox", id, edition],
    queryFn: async ({ signal }) => {
      const params = { ...pathOf(id), query: { edition } };
      const asked = api.GET(`${ONE}/content`, { params, parseAs: "arrayBuffer", signal });
      const { data } = await asked.catch((error: unknown) => {
        throw error instanceof TypeError ? cutShort(error) : error;
      });
      return decode(new Uint8Array(data as unknown as ArrayBuffer));
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });

export type ReceivedMarks = Omit<components["schemas"]["ReceivedMarks"], "marks"> & { readonly marks: readonly Mark[] };

/** What is classified in a received file, for cleared recipients. */
export const entryMarksQuery = (id: string) =>
  queryOptions({
    queryKey: ["content", "received marks", id],
    queryFn: async ({ signal }): Promise<ReceivedMarks> => {
      const found = await dataOf(api.GET(`${ONE}/full/marks`, { params: pathOf(id), signal }));
      return { ...found, marks: found.marks.map(({ start = null, end = null, ...mark }) => ({ ...mark, start, end })) };
    },
    staleTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
    gcTime: 0,
    retry: false,
  });

/** The address of an edition, as a download. */
export function entryContentUrl(id: string, edition: InboxEdition): string {
  return `/api/v1/inbox/${encodeURIComponent(id)}/content?edition=${edition}`;
}

/** The text of the receipt; without clearance, an excerpt. It never changes. */
export const entryReceiptQuery = (id: string, whole: boolean) =>
  queryOptions({
    queryKey: ["content", "inbox receipt", id, whole],
    queryFn: async ({ signal }) =>
      String(await dataOf(api.GET(`${ONE}/receipt`, { params: pathOf(id), parseAs: "text", signal }))),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });

export function entryReceiptUrl(id: string): string {
  return `/api/v1/inbox/${encodeURIComponent(id)}/receipt`;
}

/** Has the gateway check the receipt against the stored document. */
export function verifyEntry(id: string): Promise<VerificationShown> {
  return dataOf(api.GET(`${ONE}/verification`, { params: pathOf(id) }));
}

/** Makes a draft of mine from the document, with its marks, or from its redacted edition. */
export function forwardEntry(id: string, edition: "marked" | "redacted"): Promise<DraftShown> {
  return dataOf(api.POST(`${ONE}/forward`, { params: { ...pathOf(id), query: { edition } } }));
}

/** Moves the entry from my inbox to the deleted ones. */
export async function deleteEntry(id: string): Promise<void> {
  await api.DELETE(ONE, { params: pathOf(id) });
}

function pathOf(id: string) {
  return { path: { transfer_id: id } };
}
