/**
 * Redacted editions: what parsers find in the file that was made, from an author's latest save or from an inbox entry.
 */
import { queryOptions } from "@tanstack/react-query";
import { api, dataOf } from "./client";
import { type Outline, type PageWords, pagePictureUrl } from "./files";
import type { components } from "./schema";

type Schemas = components["schemas"];

/** Reads an edition. `key` identifies its exact bytes. */
export interface EditionReader {
  readonly key: readonly (string | number)[];
  outline(signal: AbortSignal): Promise<Outline>;
  units(limit: number, signal: AbortSignal): Promise<Schemas["UnitsShown"]>;
  rows(sheet: string, count: number, signal: AbortSignal): Promise<Schemas["RowsShown"]>;
  words(page: number, signal: AbortSignal): Promise<PageWords>;
  pictureUrl(page: number, width: number): string;
}

const DRAFT = "/api/v1/drafts/{draft_id}" as const;
const ENTRY = "/api/v1/inbox/{transfer_id}/redacted" as const;

/** The edition of a draft at this revision, which must be the latest. */
export function draftEdition(id: string, revision: number): EditionReader {
  const path = { draft_id: id };
  const edition = { edition: "redacted" } as const;
  return {
    key: ["draft", id, revision],
    outline: (signal) => dataOf(api.GET(`${DRAFT}/outline`, { params: { path, query: edition }, signal })),
    units: (limit, signal) =>
      dataOf(api.GET(`${DRAFT}/units`, { params: { path, query: { ...edition, limit } }, signal })),
    rows: (sheet, count, signal) =>
      dataOf(api.GET(`${DRAFT}/rows`, { params: { path, query: { ...edition, from: 1, count, sheet } }, signal })),
    words: (number, signal) =>
      dataOf(
        api.GET(`${DRAFT}/pages/{number}/words`, { params: { path: { ...path, number }, query: edition }, signal }),
      ),
    // The address changes with each revision, so the browser caches none for another.
    pictureUrl: (page, width) => `${pagePictureUrl(id, page, width)}&edition=redacted&of=${revision}`,
  };
}

/** The edition that came with an inbox entry. Requests mark the entry as read. */
export function entryEdition(id: string): EditionReader {
  const path = { transfer_id: id };
  return {
    key: ["entry", id],
    outline: (signal) => dataOf(api.GET(`${ENTRY}/outline`, { params: { path }, signal })),
    units: (limit, signal) => dataOf(api.GET(`${ENTRY}/units`, { params: { path, query: { limit } }, signal })),
    rows: (sheet, count, signal) =>
      dataOf(api.GET(`${ENTRY}/rows`, { params: { path, query: { from: 1, count, sheet } }, signal })),
    words: (number, signal) =>
      dataOf(api.GET(`${ENTRY}/pages/{number}/words`, { params: { path: { ...path, number } }, signal })),
    pictureUrl: (page, width) => `/api/v1/inbox/${encodeURIComponent(id)}/redacted/pages/${page}.png?width=${width}`,
  };
}

/** An edition never changes. The page that shows it is its only cache. */
const PASSING = { staleTime: Number.POSITIVE_INFINITY, structuralSharing: false, gcTime: 0 } as const;
const MOST_UNITS = 1000;

/** A query for part of an edition. */
function editionQuery<Part>(
  { key }: EditionReader,
  part: string,
  read: (signal: AbortSignal) => Promise<Part>,
  ...place: (string | number)[]
) {
  return queryOptions({
    queryKey: ["content", `redacted ${part}`, ...key, ...place],
    queryFn: ({ signal }) => read(signal),
    ...PASSING,
  });
}

/** How the file is built. */
export const editionOutlineQuery = (edition: EditionReader) => ({
  ...editionQuery(edition, "outline", edition.outline),
  retry: false,
});

/** Its first units. */
export const editionUnitsQuery = (edition: EditionReader) =>
  editionQuery(edition, "units", (signal) => edition.units(MOST_UNITS, signal));

/** The first `count` rows of a sheet. */
export const editionRowsQuery = (edition: EditionReader, sheet: string, count: number) =>
  editionQuery(edition, "rows", (signal) => edition.rows(sheet, count, signal), sheet, count);

/** The words of a page, counted from 1. */
export const editionWordsQuery = (edition: EditionReader, page: number) =>
  editionQuery(edition, "words", (signal) => edition.words(page, signal), page);

/**
 * The redacted edition of a file that is to be sent: its size, or a note that says why there is none. Both are null for
 * a text. The gateway makes it on the first request; it never changes.
 */
export const redactedQuery = (documentId: string) =>
  queryOptions({
    queryKey: ["content", "redacted edition", documentId],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET("/api/v1/documents/{document_id}/redacted", { params: { path: { document_id: documentId } }, signal }),
      ),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
