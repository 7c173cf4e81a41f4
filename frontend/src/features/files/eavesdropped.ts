/** What an eavesdropper gets of a file, in words. docs/formats.md has the details. */
import { t } from "@lingui/core/macro";
import type { Format } from "@/api/files";
import { viewOf } from "@/api/formats";
import type { DraftShown } from "@/api/types";

/** `seen`: what is sent in the clear; `unseen`: what is not, and cannot be inferred either. */
export interface Eavesdropped {
  readonly seen: string;
  readonly unseen: string | null;
}

const OFFICE: Eavesdropped = {
  seen: t`An eavesdropper gets the compressed contents of the parts that reveal nothing marked: fonts and styles, pictures, and unmarked text. They can be unpacked and read.`,
  unseen: t`Marked content is not included, nor is any part that has a mark or repeats marked text. Comments, properties, links and settings, and the names, sizes and positions of all parts are not included either.`,
};

const PAGE: Eavesdropped = {
  seen: t`An eavesdropper reads the paragraphs that have no mark and do not repeat marked text, with their plain formatting.`,
  unseen: t`A paragraph with a mark is not included at all. Links, scripts, comments, hidden text, titles, properties and pictures are never included.`,
};

const TABLE: Eavesdropped = {
  seen: t`An eavesdropper reads the table as if the marked content had never existed. This includes column headings, unless they are marked too.`,
  unseen: t`Marked content is not included, nor how long it was or whether it was empty. The remaining cells of a row can be counted. To hide that too, mark the row.`,
};

const PICTURE: Eavesdropped = {
  seen: t`Everything: nothing is marked, so an eavesdropper gets the whole file.`,
  unseen: null,
};

const BY_FORMAT: Readonly<Record<Format, Eavesdropped>> = {
  text: TABLE,
  docx: OFFICE,
  xlsx: OFFICE,
  pptx: OFFICE,
  odt: OFFICE,
  ods: OFFICE,
  html: PAGE,
  rtf: {
    seen: t`An eavesdropper reads the letters of the paragraphs that have no mark and do not repeat marked text, without their formatting and without accented letters.`,
    unseen: t`A paragraph with a mark is not included at all. Formatting, pictures, links, results of fields, numbers of lists, comments, hidden text and properties are never included.`,
  },
  eml: {
    seen: t`An eavesdropper reads the paragraphs that have no mark and do not repeat marked text, and the attachments that contain neither and that the gateway can read.`,
    unseen: t`A paragraph or an attachment with a mark is not included at all. The header, names of files, links, and everything around the texts are never included, nor is another version of a marked text.`,
  },
  zip: {
    seen: t`An eavesdropper gets the compressed contents of the files that have no mark, do not repeat marked text, and that the gateway can read to the last byte: texts, tables, pictures, office documents. They can be unpacked and read.`,
    unseen: t`A file with a mark is not included at all, nor is a PDF, a web page, an e-mail or another archive. The names of files, their sizes and times, and remarks are never included.`,
  },
  csv: TABLE,
  tsv: TABLE,
  jsonl: {
    seen: t`An eavesdropper reads the rows as if the marked content had never existed. The remaining keys can be read.`,
    unseen: t`Marked content and its keys are not included, nor any sign that they existed.`,
  },
  pdf: {
    seen: t`An eavesdropper gets the compressed drawings, images and fonts of unmarked pages. They can be unpacked, and the text of those pages read.`,
    unseen: t`Marked pages are not included, nor are pages that show the same text or use a font that would reveal its letters. Properties, bookmarks, notes, links, forms, attachments and earlier revisions are never included.`,
  },
  png: PICTURE,
  jpeg: PICTURE,
  tiff: PICTURE,
  bytes: {
    seen: t`An eavesdropper gets all bytes outside the ranges, in order.`,
    unseen: t`The bytes in the ranges are not included, nor where they were or how many. The gateway cannot read this type of file, so you must confirm the plain part before you send it.`,
  },
};

export function eavesdropped({
  format,
  classified_bytes,
  plain_bytes,
}: Pick<DraftShown, "format" | "classified_bytes" | "plain_bytes">): Eavesdropped {
  if (plain_bytes === 0) return { seen: t`Nothing: the whole file is classified.`, unseen: null };
  if (classified_bytes === 0) {
    return { seen: t`Everything: nothing is marked, so an eavesdropper gets the whole file.`, unseen: null };
  }
  return BY_FORMAT[format];
}

/** Whether the plain part is text that can be shown. */
export function readsAsText(format: Format): boolean {
  return viewOf(format) === "rows";
}
