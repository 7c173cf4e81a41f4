/** Drafts that are files: their content as the gateway reads it, and their marks. See docs/formats.md. */
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

export async function marksOf(
  id: string,
  signal: AbortSignal,
): Promise<{ revision: number; marks: readonly Mark[]; classified_bytes: number; plain_bytes: number }> {
  const shown = await dataOf(api.GET(`${DRAFT}/marks`, { params: { path: { draft_id: id } }, signal }));
  return { ...shown, marks: shown.marks.map(({ start = null, end = null, ...mark }) => ({ ...mark, start, end })) };
}

/** Content of one kind that travels classified. `largest`: names or addresses of its largest parts. */
export type Classified = Readonly<Schemas["ClassifiedShown"]>;

/** What of the latest save travels classified, largest first. */
export async function classifiedOf(id: string, signal: AbortSignal): Promise<readonly Classified[]> {
  return (await dataOf(api.GET(`${DRAFT}/why-classified`, { params: { path: { draft_id: id } }, signal }))).classified;
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
