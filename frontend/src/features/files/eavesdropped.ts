/** What an eavesdropper gets of a file, in words. The whole of it stands in docs/formats.md. */
import type { FileDraft, Format } from "@/api/files";
import { viewOf } from "@/lib/formats";

/** `seen`: what travels in the clear; `unseen`: what does not, and is not told either. */
export interface Eavesdropped {
  readonly seen: string;
  readonly unseen: string | null;
}

const OFFICE: Eavesdropped = {
  seen: "Whoever listens gets the packed contents of those parts of the file that say nothing of what is marked: fonts and styles, pictures, and texts without a mark. They can be unpacked and read.",
  unseen:
    "What is marked is not there, nor is any part that has a mark or repeats a marked text. Comments, properties, links and settings, and the names, sizes and places of all parts are not there either.",
};

const TABLE: Eavesdropped = {
  seen: "Whoever listens reads the table without what is marked, as if it had never had the rest. Headings of columns are among it unless they are marked, too.",
  unseen:
    "What is marked is not there, nor how long it was or whether it was empty. How many cells a row still has can be counted; to hide even that, mark the row.",
};

const BY_FORMAT: Readonly<Record<Format, Eavesdropped>> = {
  text: TABLE,
  docx: OFFICE,
  xlsx: OFFICE,
  csv: TABLE,
  tsv: TABLE,
  jsonl: {
    seen: "Whoever listens reads the rows without what is marked, as if they had never had the rest. Keys that are left can be read.",
    unseen: "What is marked is not there, nor its keys, nor whether there was anything at all.",
  },
  pdf: {
    seen: "Whoever listens gets the packed drawings, images and fonts of pages that are not marked. They can be unpacked, and the text of those pages read.",
    unseen:
      "A page with a mark is not there at all, nor is another one that shows the same text, or draws with a font that would tell its letters. Properties, bookmarks, notes, links, forms, attachments and earlier revisions are never there.",
  },
  bytes: {
    seen: "Whoever listens gets all bytes that are in no range, one after the other.",
    unseen:
      "The bytes of the ranges are not there, nor where they were or how many. Nothing of this file is understood here, so what is left has to be confirmed before it is sent.",
  },
};

export function eavesdropped({ format, classified_bytes, plain_bytes }: FileDraft): Eavesdropped {
  if (plain_bytes === 0) return { seen: "Nothing: all of the file travels classified.", unseen: null };
  if (classified_bytes === 0) {
    return { seen: "Everything: nothing is marked, and whoever listens has the very file.", unseen: null };
  }
  return BY_FORMAT[format];
}

/** Whether the plain part is text that can be shown. */
export function readsAsText(format: Format): boolean {
  return viewOf(format) === "rows";
}
