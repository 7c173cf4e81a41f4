/** Files of any format as drafts: what is read of them, and what of them is marked. See docs/formats.md. */
import { queryOptions } from "@tanstack/react-query";
import { api, dataOf, ifMatch, timeout } from "./client";
import type { components } from "./schema";
import type { DraftShown } from "./types";

type Schemas = components["schemas"];

/** A piece of text at an address. `hidden`: empty for what every reader sees, else how it hides: "a comment". */
export type Unit = Readonly<Schemas["UnitShown"]>;
/** How a file is built, as far as its format has such things. `page_sizes`: in points. */
export type Outline = Readonly<Omit<Schemas["OutlineShown"], "page_sizes">> & {
  readonly page_sizes: readonly (readonly number[])[] | null;
};
/** What a file is read as. `text` has the editor; all else is marked in the file. */
export type Format = Outline["format"];
/** A row of a table. It is cut behind its last cell; null where it has none. */
export type Row = readonly (string | null)[];
/** A word of a page: code points of the page's text, and its box in fractions of the page from the top left. */
export type Word = Readonly<Schemas["WordShown"]>;
export type PageWords = Readonly<Schemas["WordsShown"]>;
/** Something classified: code points `start` to `end`, without `end`; all that the address names where both are null. */
export interface Mark {
  readonly address: string;
  readonly start: number | null;
  readonly end: number | null;
  readonly label: string;
  readonly rule: string;
  readonly reason: string;
}

/** A draft whose marks stand beside it. */
export type FileDraft = DraftShown & { readonly format: Exclude<Format, "text"> };

const DRAFT = "/api/v1/drafts/{draft_id}" as const;

/** Whether a draft is marked in the file. */
export function isFile(draft: DraftShown): draft is FileDraft {
  return draft.format !== "text";
}

/** What a file holds never changes while it is a draft; only its marks do. */
const LASTING = { staleTime: Number.POSITIVE_INFINITY, structuralSharing: false } as const;

export const outlineQuery = (id: string) =>
  queryOptions({
    queryKey: ["content", "outline", id],
    queryFn: ({ signal }) => dataOf(api.GET(`${DRAFT}/outline`, { params: { path: { draft_id: id } }, signal })),
    ...LASTING,
  });

/** Units from `after` on, in reading order. */
export function unitsFrom(id: string, after: string | null, limit: number, signal: AbortSignal) {
  const query = { limit, ...(after !== null && { after }) };
  return dataOf(api.GET(`${DRAFT}/units`, { params: { path: { draft_id: id }, query }, signal }));
}

/** `count` rows of a table from row `from` on, fewer where they are long; of a workbook, of its sheet `sheet`. */
export function rowsFrom(id: string, sheet: string | null, from: number, count: number, signal: AbortSignal) {
  const query = { from, count, ...(sheet !== null && { sheet }) };
  return dataOf(api.GET(`${DRAFT}/rows`, { params: { path: { draft_id: id }, query }, signal }));
}

/** Just those rows, or as many as there are from there on. */
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

/** The picture of page `page`, from 1, `width` pixels wide. */
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

/** About what a mark takes on the way. */
const MARK_BYTES = 150;
/** As long as the gateway may take to read a file. */
export const READING_MS = 120_000;

/**
 * Makes these what is marked of the draft.
 *
 * @throws Problem 412 with `extra.revision`, the one it is at, if somebody saved meanwhile; 422 if one fits no place.
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
