/**
 * An author's own drafts. A save names the revision that it changes; the gateway refuses (412) if there is a newer one.
 */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { decode } from "@/marked-text/markup";
import { api, dataOf, ifMatch, raw, revisionIn, timeout } from "./client";
import { pagedQuery } from "./paged";
import type { components } from "./schema";
import type { DraftShown } from "./types";
import { upload } from "./upload";

/** The form of a body. See docs/api.md. */
export type Form = "marked" | "literal" | "framed" | "file";

type Edition = "full" | "marked" | "redacted" | "gaps";

type Body = Parameters<typeof raw>[0];

/** Which drafts, and in which order. `search`: in their names. */
export interface DraftFilter {
  search?: string;
  tag?: string;
  templates?: boolean;
  /** Those that I deleted and can still restore. */
  deleted?: boolean;
  sort?: "time" | "name" | "size" | "state";
  descending?: boolean;
}

/** My drafts, latest change first unless `filter` says otherwise. The previous ones stay until the new ones are loaded. */
export const draftsQuery = (filter: DraftFilter = {}) => ({
  ...pagedQuery(["drafts", "list", filter], (page, signal) =>
    dataOf(api.GET("/api/v1/drafts", { params: { query: { ...page, ...filter } }, signal })),
  ),
  placeholderData: keepPreviousData,
});

/** How many drafts a list has, and their size. */
export const draftCountsQuery = (filter: DraftFilter = {}) =>
  queryOptions({
    queryKey: ["drafts", "counts", filter],
    queryFn: ({ signal }) => dataOf(api.GET("/api/v1/drafts/counts", { params: { query: filter }, signal })),
    placeholderData: keepPreviousData,
  });

/** The tags of my drafts. */
export const draftTagsQuery = queryOptions({
  queryKey: ["drafts", "tags"],
  queryFn: async ({ signal }) => (await dataOf(api.GET("/api/v1/drafts/tags", { signal }))).tags,
});

/** The IDs of all drafts of a list; of the first 5000, if there are more. */
export async function draftIds(filter: DraftFilter): Promise<string[]> {
  return (await dataOf(api.GET("/api/v1/drafts/ids", { params: { query: filter } }))).ids;
}

export type DraftsChange = components["schemas"]["DraftsChange"]["change"];

/** Changes drafts, at most 5000. `tag`: for `tag` and `untag`. */
export function changeDrafts(
  ids: readonly string[],
  change: DraftsChange,
  tag: string | null = null,
): Promise<components["schemas"]["DraftsChanged"]> {
  return dataOf(api.POST("/api/v1/drafts/changes", { body: { ids: [...ids], change, ...(tag !== null && { tag }) } }));
}

/** One zip with these drafts. */
export async function draftsArchive(ids: readonly string[]): Promise<Blob> {
  const { data } = await api.POST("/api/v1/drafts/archive", { body: { ids: [...ids] }, parseAs: "blob" });
  return data as unknown as Blob;
}

/** Creates a draft with the content and the marks of another one. */
export function copyDraft(id: string, name: string): Promise<DraftShown> {
  return dataOf(api.POST("/api/v1/drafts/{draft_id}/copy", { params: { path: { draft_id: id } }, body: { name } }));
}

export const draftQuery = (id: string) =>
  queryOptions({
    queryKey: ["drafts", "one", id],
    queryFn: ({ signal }) =>
      dataOf(api.GET("/api/v1/drafts/{draft_id}", { params: { path: { draft_id: id } }, signal })),
  });

/** Creates a draft from a body in memory. For a file, use `importDraft`. */
export function createDraft(name: string, mediaType: string, form: Form, body: Body): Promise<DraftShown> {
  return dataOf(api.POST("/api/v1/drafts", { params: { query: { form, name, media_type: mediaType } }, ...raw(body) }));
}

/** Creates an empty draft that answers a document in my inbox. Throws a `Problem` 409 if its sender can receive nothing. */
export function createReply(entryId: string, name: string, login?: string): Promise<DraftShown> {
  const query = {
    ...{ form: "literal" as const, name, media_type: "text/plain", in_reply_to: entryId },
    ...(login !== undefined && { reply_to_login: login }),
  };
  return dataOf(api.POST("/api/v1/drafts", { params: { query }, ...raw("") }));
}

/**
 * Creates a draft from a file, which the browser reads while it sends it.
 *
 * @throws Problem, or the signal's reason if it is aborted. In both cases the gateway keeps nothing.
 */
export async function importDraft(asked: {
  name: string;
  mediaType: string;
  form: Form;
  body: Blob;
  signal: AbortSignal;
  onProgress: (sent: number, total: number) => void;
}): Promise<DraftShown> {
  const { name, mediaType, form, ...rest } = asked;
  const query = new URLSearchParams({ form, name, media_type: mediaType });
  return (await upload({ url: `/api/v1/drafts?${query}`, ...rest })) as DraftShown;
}

/**
 * Replaces the content of a draft and, if `name` is given, its name.
 *
 * @throws Problem 412 with the current `extra.revision` if the draft was saved meanwhile.
 */
export function saveDraft(
  id: string,
  revision: number,
  form: Exclude<Form, "file">,
  body: Body,
  name?: string,
): Promise<DraftShown> {
  return dataOf(
    api.PUT("/api/v1/drafts/{draft_id}", {
      params: {
        path: { draft_id: id },
        query: { form, ...(name !== undefined && { name }) },
        header: ifMatch(revision),
      },
      ...raw(body),
      ...timeout(sizeOf(body)),
    }),
  );
}

function sizeOf(body: Body): number {
  if (typeof body === "string") return body.length;
  return "size" in body ? body.size : body.byteLength;
}

/** Throws a `Problem` 412 as `saveDraft` does. */
export function renameDraft(id: string, revision: number, name: string): Promise<DraftShown> {
  return dataOf(
    api.PATCH("/api/v1/drafts/{draft_id}", {
      params: { path: { draft_id: id }, header: ifMatch(revision) },
      body: { name },
      ...timeout(0),
    }),
  );
}

/**
 * Moves a draft to the deleted ones; with `forever`, deletes it at once. Throws a `Problem` 409 while a transfer of the
 * draft is in progress.
 */
export async function deleteDraft(id: string, forever = false): Promise<void> {
  const query = forever ? { forever } : {};
  await api.DELETE("/api/v1/drafts/{draft_id}", { params: { path: { draft_id: id }, query } });
}

/** Restores a deleted draft. */
export async function restoreDraft(id: string): Promise<void> {
  await api.POST("/api/v1/drafts/{draft_id}/restore", { params: { path: { draft_id: id } } });
}

/** A draft of a table as marked text. Throws `NotUtf8` if the file is not UTF-8 text. */
export const draftTextQuery = (id: string, revision: number) =>
  queryOptions({
    queryKey: ["content", "draft text", id, revision],
    queryFn: async ({ signal }) => decode((await draftContent(id, "marked", signal)).content),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });

/** A draft's bytes in an edition, and their revision. */
export async function draftContent(
  id: string,
  edition: Edition,
  signal: AbortSignal,
): Promise<{ content: Uint8Array<ArrayBuffer>; revision: number }> {
  const { data, response } = await api.GET("/api/v1/drafts/{draft_id}/content", {
    params: { path: { draft_id: id }, query: { edition } },
    parseAs: "arrayBuffer",
    signal,
  });
  return { content: new Uint8Array(data as unknown as ArrayBuffer), revision: revisionIn(response) };
}

/** The address of a draft's bytes, as a download under its name. */
export function draftContentUrl(id: string, edition: Edition): string {
  return `/api/v1/drafts/${encodeURIComponent(id)}/content?edition=${edition}`;
}
