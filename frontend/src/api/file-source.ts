/**
 * Where the parts of a file come from: a draft, a stored document, a received one, or a redacted edition. The views of files read any
 * of them in the same way.
 */
import { queryOptions } from "@tanstack/react-query";
import { api, dataOf } from "./client";
import type { Outline, PageWords, Row } from "./files";
import type { components } from "./schema";

type Schemas = components["schemas"];

export interface FileSource {
  /** Identifies the exact bytes of the file. */
  readonly key: readonly (string | number)[];
  /** What it holds is kept only as long as it is shown. */
  readonly isPassing: boolean;
  /** It is a redacted edition. */
  readonly isRedacted: boolean;
  outline(signal: AbortSignal): Promise<Outline>;
  /** Units after the address `after`, in reading order. */
  units(after: string | null, limit: number, signal: AbortSignal): Promise<Schemas["UnitsShown"]>;
  /** Up to `count` rows from row `from` on: fewer if they are long. `sheet`: of a workbook. */
  rows(sheet: string | null, from: number, count: number, signal: AbortSignal): Promise<Schemas["RowsShown"]>;
  /** The words of page `page`, from 1. */
  words(page: number, signal: AbortSignal): Promise<PageWords>;
  /** The address of a picture of page `page`, counted from 1, `width` pixels wide. */
  pictureUrl(page: number, width: number): string;
}

const DRAFT = "/api/v1/drafts/{draft_id}" as const;
const DOCUMENT = "/api/v1/documents/{document_id}" as const;
const FULL = "/api/v1/inbox/{transfer_id}/full" as const;
const REDACTED = "/api/v1/inbox/{transfer_id}/redacted" as const;

/** A draft's file. It never changes; only its marks do. */
export function draftSource(id: string): FileSource {
  const path = { draft_id: id };
  return {
    key: ["draft", id],
    isPassing: false,
    isRedacted: false,
    outline: (signal) => dataOf(api.GET(`${DRAFT}/outline`, { params: { path }, signal })),
    units: (after, limit, signal) =>
      dataOf(api.GET(`${DRAFT}/units`, { params: { path, query: unitsFrom(after, limit) }, signal })),
    rows: (sheet, from, count, signal) =>
      dataOf(api.GET(`${DRAFT}/rows`, { params: { path, query: rowsFrom(sheet, from, count) }, signal })),
    words: (number, signal) =>
      dataOf(api.GET(`${DRAFT}/pages/{number}/words`, { params: { path: { ...path, number } }, signal })),
    pictureUrl: (page, width) => `/api/v1/drafts/${encodeURIComponent(id)}/pages/${page}.png?width=${width}`,
  };
}

/** The redacted edition of a draft at this revision, which must be the latest. */
export function draftEdition(id: string, revision: number): FileSource {
  const path = { draft_id: id };
  const edition = { edition: "redacted" } as const;
  return {
    // not a text
    key: ["draft edition", id, revision],
    isPassing: true,
    isRedacted: true,
    outline: (signal) => dataOf(api.GET(`${DRAFT}/outline`, { params: { path, query: edition }, signal })),
    units: (after, limit, signal) =>
      dataOf(
        api.GET(`${DRAFT}/units`, { params: { path, query: { ...edition, ...unitsFrom(after, limit) } }, signal }),
      ),
    rows: (sheet, from, count, signal) =>
      dataOf(
        api.GET(`${DRAFT}/rows`, { params: { path, query: { ...edition, ...rowsFrom(sheet, from, count) } }, signal }),
      ),
    words: (number, signal) =>
      dataOf(
        api.GET(`${DRAFT}/pages/{number}/words`, { params: { path: { ...path, number }, query: edition }, signal }),
      ),
    // The address changes with each revision, so the browser caches none for another.
    pictureUrl: (page, width) => `${draftSource(id).pictureUrl(page, width)}&edition=redacted&of=${revision}`,
  };
}

/** A document of mine that never changes, such as what a transfer sent; or its redacted edition. */
export function documentSource(id: string, edition: "full" | "redacted" = "full"): FileSource {
  const path = { document_id: id };
  return {
    key: ["document", id, edition],
    isPassing: true,
    isRedacted: edition === "redacted",
    outline: (signal) => dataOf(api.GET(`${DOCUMENT}/outline`, { params: { path, query: { edition } }, signal })),
    units: (after, limit, signal) =>
      dataOf(
        api.GET(`${DOCUMENT}/units`, { params: { path, query: { edition, ...unitsFrom(after, limit) } }, signal }),
      ),
    rows: (sheet, from, count, signal) =>
      dataOf(
        api.GET(`${DOCUMENT}/rows`, { params: { path, query: { edition, ...rowsFrom(sheet, from, count) } }, signal }),
      ),
    words: (number, signal) =>
      dataOf(
        api.GET(`${DOCUMENT}/pages/{number}/words`, {
          params: { path: { ...path, number }, query: { edition } },
          signal,
        }),
      ),
    pictureUrl: (page, width) =>
      `/api/v1/documents/${encodeURIComponent(id)}/pages/${page}.png?width=${width}&edition=${edition}`,
  };
}

/** A received document, for cleared recipients. Requests mark the entry as read. */
export function receivedSource(id: string): FileSource {
  const path = { transfer_id: id };
  return {
    key: ["received", id],
    isPassing: true,
    isRedacted: false,
    outline: (signal) => dataOf(api.GET(`${FULL}/outline`, { params: { path }, signal })),
    units: (after, limit, signal) =>
      dataOf(api.GET(`${FULL}/units`, { params: { path, query: unitsFrom(after, limit) }, signal })),
    rows: (sheet, from, count, signal) =>
      dataOf(api.GET(`${FULL}/rows`, { params: { path, query: rowsFrom(sheet, from, count) }, signal })),
    words: (number, signal) =>
      dataOf(api.GET(`${FULL}/pages/{number}/words`, { params: { path: { ...path, number } }, signal })),
    pictureUrl: (page, width) => `/api/v1/inbox/${encodeURIComponent(id)}/full/pages/${page}.png?width=${width}`,
  };
}

/** The redacted edition that came with an inbox entry. Requests mark the entry as read. */
export function entryEdition(id: string): FileSource {
  const path = { transfer_id: id };
  return {
    // not a text
    key: ["entry edition", id],
    isPassing: true,
    isRedacted: true,
    outline: (signal) => dataOf(api.GET(`${REDACTED}/outline`, { params: { path }, signal })),
    units: (after, limit, signal) =>
      dataOf(api.GET(`${REDACTED}/units`, { params: { path, query: unitsFrom(after, limit) }, signal })),
    rows: (sheet, from, count, signal) =>
      dataOf(api.GET(`${REDACTED}/rows`, { params: { path, query: rowsFrom(sheet, from, count) }, signal })),
    words: (number, signal) =>
      dataOf(api.GET(`${REDACTED}/pages/{number}/words`, { params: { path: { ...path, number } }, signal })),
    pictureUrl: (page, width) => `/api/v1/inbox/${encodeURIComponent(id)}/redacted/pages/${page}.png?width=${width}`,
  };
}

function unitsFrom(after: string | null, limit: number) {
  return { limit, ...(after !== null && { after }) };
}

function rowsFrom(sheet: string | null, from: number, count: number) {
  return { from, count, ...(sheet !== null && { sheet }) };
}

/** A query for a part of a file, which never changes. */
function partQuery<Part>(
  { key, isPassing }: FileSource,
  part: string,
  read: (signal: AbortSignal) => Promise<Part>,
  ...place: (string | number | null)[]
) {
  return queryOptions({
    queryKey: ["content", part, ...key, ...place],
    queryFn: ({ signal }) => read(signal),
    staleTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
    ...(isPassing && { gcTime: 0 }),
  });
}

export const outlineQuery = (source: FileSource) => partQuery(source, "outline", source.outline);

/** Exactly those rows, as far as the table has them. */
export const rowsQuery = (source: FileSource, sheet: string | null, from: number, count: number) =>
  partQuery(
    source,
    "rows",
    async (signal) => {
      const rows: Row[] = [];
      for (;;) {
        const more = await source.rows(sheet, from + rows.length, count - rows.length, signal);
        rows.push(...more.rows);
        if (rows.length >= count || more.rows.length === 0) return rows;
      }
    },
    sheet,
    from,
    count,
  );

/** The first `limit` units. */
export const unitsQuery = (source: FileSource, limit: number) =>
  partQuery(source, "units", (signal) => source.units(null, limit, signal), limit);

/** The words of page `page`, from 1. */
export const pageWordsQuery = (source: FileSource, page: number) =>
  partQuery(source, "words", (signal) => source.words(page, signal), page);
