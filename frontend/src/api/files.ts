/** Drafts that are files: their content as the gateway reads it, and their marks. See docs/formats.md. */
import { queryOptions } from "@tanstack/react-query";
import { api, dataOf, ifMatch, timeout } from "./client";
import type { components } from "./schema";
import type { DraftShown } from "./types";

type Schemas = components["schemas"];

/** A piece of text at an address. `hidden`: empty for what every reader sees, else how it hides: "a comment". */
export type Unit = Readonly<Schemas["UnitShown"]>;
/** The structure of a file, as far as its format has one. `page_sizes`: in points. */
export type Outline = Readonly<Omit<Schemas["OutlineShown"], "page_sizes">> & {
  readonly page_sizes: readonly (readonly number[])[] | null;
};
/** The format that the gateway reads a file as. `text` opens in a text editor, everything else in the file editor. */
export type Format = Outline["format"];
/** A row of a table, up to its last cell; null for a missing cell. */
export type Row = readonly (string | null)[];
/** A word of a page: code points of the page's text, and its box in fractions of the page from the top left. */
export type Word = Readonly<Schemas["WordShown"]>;
export type PageWords = Readonly<Schemas["WordsShown"]>;
/** A classified range: code points `start` to `end`, without `end`; everything at the address if both are null. */
export interface Mark {
  readonly address: string;
  readonly start: number | null;
  readonly end: number | null;
  readonly label: string;
  readonly rule: string;
  readonly reason: string;
}

/** A draft whose marks are stored beside its content. */
export type FileDraft = DraftShown & { readonly format: Exclude<Format, "text"> };

const DRAFT = "/api/v1/drafts/{draft_id}" as const;

/** Whether a draft opens in the file editor. */
export function isFile(draft: DraftShown): draft is FileDraft {
  return draft.format !== "text";
}

/** A draft's content never changes; only its marks do. */
const LASTING = { staleTime: Number.POSITIVE_INFINITY, structuralSharing: false } as const;

export const outlineQuery = (id: string) =>
  queryOptions({
    queryKey: ["content", "outline", id],
    queryFn: ({ signal }) => dataOf(api.GET(`${DRAFT}/outline`, { params: { path: { draft_id: id } }, signal })),
    ...LASTING,
  });

/** Units after the address `after`, in reading order. */
export function unitsFrom(id: string, after: string | null, limit: number, signal: AbortSignal) {
  const query = { limit, ...(after !== null && { after }) };
  return dataOf(api.GET(`${DRAFT}/units`, { params: { path: { draft_id: id }, query }, signal }));
}

/** Up to `count` rows from row `from` on: fewer if they are long. `sheet`: for a workbook. */
export function rowsFrom(id: string, sheet: string | null, from: number, count: number, signal: AbortSignal) {
  const query = { from, count, ...(sheet !== null && { sheet }) };
  return dataOf(api.GET(`${DRAFT}/rows`, { params: { path: { draft_id: id }, query }, signal }));
}

/** Exactly those rows, as far as the table has them. */
export const rowsQuery = (id: string, sheet: string | null, from: number, count: number) =>
  queryOptions({
    queryKey: ["content", "rows", id, sheet, from, count],
    queryFn: async ({ signal }) => {
      const rows: Row[] = [];
      for (;;) {
        const more = await rowsFrom(id, sheet, from + rows.length, count - rows.length, signal);
        rows.push(...more.rows);
        if (rows.length >= count || more.rows.length === 0) return rows;
      }
    },
    ...LASTING,
  });

/** The words of page `page`, from 1. */
export const pageWordsQuery = (id: string, page: number) =>
  queryOptions({
    queryKey: ["content", "words", id, page],
    queryFn: ({ signal }) =>
      dataOf(api.GET(`${DRAFT}/pages/{number}/words`, { params: { path: { draft_id: id, number: page } }, signal })),
    ...LASTING,
  });

/** The address of a picture of page `page`, counted from 1, `width` pixels wide. */
export function pagePictureUrl(id: string, page: number, width: number): string {
  return `/api/v1/drafts/${encodeURIComponent(id)}/pages/${page}.png?width=${width}`;
}

export async function marksOf(
  id: string,
  signal: AbortSignal,
): Promise<{ revision: number; marks: readonly Mark[]; classified_bytes: number; plain_bytes: number }> {
  const shown = await dataOf(api.GET(`${DRAFT}/marks`, { params: { path: { draft_id: id } }, signal }));
  return { ...shown, marks: shown.marks.map(({ start = null, end = null, ...mark }) => ({ ...mark, start, end })) };
}

/** The approximate size of a mark in a request. */
const MARK_BYTES = 150;
/** The longest time that the gateway takes to read a file. */
export const READING_MS = 120_000;

/**
 * Replaces the marks of a draft.
 *
 * @throws Problem 412 with the current `extra.revision` if the marks were saved meanwhile; 422 if a mark has no place
 *   in the file.
 */
export function saveMarks(id: string, revision: number, marks: readonly Mark[]): Promise<DraftShown> {
  return dataOf(
    api.PUT(`${DRAFT}/marks`, {
      params: { path: { draft_id: id }, header: ifMatch(revision) },
      body: { marks: [...marks] },
      ...timeout(marks.length * MARK_BYTES, READING_MS),
    }),
  );
}
