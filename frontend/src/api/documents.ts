/** My documents that never change: what transfers sent, and the versions of drafts. */
import { queryOptions } from "@tanstack/react-query";
import { decode } from "@/marked-text/markup";
import { api, dataOf, ifMatch } from "./client";
import type { Mark } from "./files";
import type { DocumentShown, DraftShown } from "./types";

export type DocumentEdition = "full" | "redacted" | "marked";

const ONE = "/api/v1/documents/{document_id}" as const;
const VERSIONS = "/api/v1/drafts/{draft_id}/versions" as const;
/** They never change, and only the page that shows them keeps them. */
const PASSING = { staleTime: Number.POSITIVE_INFINITY, gcTime: 0, structuralSharing: false } as const;

export const documentQuery = (id: string) =>
  queryOptions({
    queryKey: ["documents", "one", id],
    queryFn: ({ signal }) => dataOf(api.GET(ONE, { params: { path: { document_id: id } }, signal })),
    retry: false,
  });

/** The document as marked text. Throws a `Problem`, or `NotUtf8`. */
export const documentTextQuery = (id: string, edition: "marked" | "gaps") =>
  queryOptions({
    queryKey: ["content", "document", id, edition],
    queryFn: async ({ signal }) => {
      const { data } = await api.GET(`${ONE}/content`, {
        params: { path: { document_id: id }, query: { edition } },
        parseAs: "arrayBuffer",
        signal,
      });
      return decode(new Uint8Array(data as unknown as ArrayBuffer));
    },
    ...PASSING,
  });

/** The plain stream: exactly what travels in the clear. */
export async function plainStream(id: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array> | null> {
  const { data } = await api.GET(`${ONE}/plain`, { params: { path: { document_id: id } }, parseAs: "stream", signal });
  return data as unknown as ReadableStream<Uint8Array> | null;
}

export const documentMarksQuery = (id: string) =>
  queryOptions({
    queryKey: ["content", "document marks", id],
    queryFn: async ({ signal }): Promise<readonly Mark[]> => {
      const { marks } = await dataOf(api.GET(`${ONE}/marks`, { params: { path: { document_id: id } }, signal }));
      return marks.map(({ start = null, end = null, ...mark }) => ({ ...mark, start, end }));
    },
    ...PASSING,
    retry: false,
  });

/** The address of a download. */
export function documentContentUrl(id: string, edition: DocumentEdition): string {
  return `/api/v1/documents/${encodeURIComponent(id)}/content?edition=${edition}`;
}

/** The address of the plain stream. */
export function plainStreamUrl(id: string): string {
  return `/api/v1/documents/${encodeURIComponent(id)}/plain`;
}

/** A stored document in the place of a draft, to send it again as it is. */
export function asDraft(document: DocumentShown): DraftShown {
  const { id, draft_id, revision, sieve_ms: _, ...same } = document;
  return {
    ...same,
    id: draft_id ?? id,
    document_id: id,
    revision: revision ?? 1,
    changed_at: document.created_at,
    tags: [],
    is_template: false,
    deleted_at: null,
    forwarded_from: null,
    last_transfer: null,
    reply_to: null,
  };
}

/** The versions of a draft, latest first. */
export const versionsQuery = (draftId: string) =>
  queryOptions({
    queryKey: ["drafts", "versions", draftId],
    queryFn: ({ signal }) => dataOf(api.GET(VERSIONS, { params: { path: { draft_id: draftId } }, signal })),
  });

/** Brings back a version, as a new save. Throws a `Problem` 412 if the draft was saved meanwhile. */
export function restoreVersion(draftId: string, revision: number, version: number): Promise<DraftShown> {
  return dataOf(
    api.POST(`${VERSIONS}/{revision}/restore`, {
      params: { path: { draft_id: draftId, revision: version }, header: ifMatch(revision) },
    }),
  );
}

/** Deletes all versions but the latest and those that were sent. */
export async function deleteEarlierVersions(draftId: string): Promise<void> {
  await api.DELETE(VERSIONS, { params: { path: { draft_id: draftId } } });
}
