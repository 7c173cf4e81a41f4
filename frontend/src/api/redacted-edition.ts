/**
 * A redacted edition, read in the very file that was made: an author's, made of what is saved, or the one that came with
 * an entry. What the parsers find in it, and not what was meant to be in it.
 */
import { queryOptions } from "@tanstack/react-query";
import { api, dataOf } from "./client";
import { type Outline, type PageWords, pagePictureUrl } from "./files";
import type { components } from "./schema";

type Schemas = components["schemas"];

/** Where it is read. `key`: names what is read, bytes and all. */
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

/** Of the save of a draft that has this revision; it must be the latest. */
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
    // Another address for each save.
    pictureUrl: (page, width) => `${pagePictureUrl(id, page, width)}&edition=redacted&of=${revision}`,
  };
}

/** Of what came with an entry. Asking for it marks the entry as read. */
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

/** It never changes, and goes from memory with the page that shows it. */
const PASSING = { staleTime: Number.POSITIVE_INFINITY, structuralSharing: false, gcTime: 0 } as const;
const MOST_UNITS = 1000;

/** What it has. */
export const editionOutlineQuery = (edition: EditionReader) =>
  queryOptions({
    queryKey: ["content", "redacted outline", ...edition.key],
    queryFn: ({ signal }) => edition.outline(signal),
    ...PASSING,
    retry: false,
  });

/** Its first units. */
export const editionUnitsQuery = (edition: EditionReader) =>
  queryOptions({
    queryKey: ["content", "redacted units", ...edition.key],
    queryFn: ({ signal }) => edition.units(MOST_UNITS, signal),
    ...PASSING,
  });

/** The first `count` rows of a sheet of it. */
export const editionRowsQuery = (edition: EditionReader, sheet: string, count: number) =>
  queryOptions({
    queryKey: ["content", "redacted rows", ...edition.key, sheet, count],
    queryFn: ({ signal }) => edition.rows(sheet, count, signal),
    ...PASSING,
  });

/** The words of page `page` of it, from 1. */
export const editionWordsQuery = (edition: EditionReader, page: number) =>
  queryOptions({
    queryKey: ["content", "redacted words", ...edition.key, page],
    queryFn: ({ signal }) => edition.words(page, signal),
    ...PASSING,
  });
