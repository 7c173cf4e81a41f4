/** The format that the gateway will read a file as: from its first bytes, otherwise from the ending of its name. */

import { FORMATS } from "@/api/catalogue";
import type { Format } from "@/api/files";

const BY_ENDING: ReadonlyMap<string, Format> = new Map(
  Object.entries(FORMATS).flatMap(([name, { endings }]) => endings.map((ending) => [ending, name as Format])),
);
const PDF = "%PDF-";
const PICTURES: Readonly<Partial<Record<Format, readonly string[]>>> = {
  png: ["\x89PNG\r\n\x1a\n"],
  // not a text
  jpeg: ["\xff\xd8\xff"],
  tiff: ["II*\0", "MM\0*", "II+\0", "MM\0+"],
};
const ZIP = "PK\u0003\u0004";

/** How many of the first bytes decide. */
export const HEAD_BYTES = 8;

/** `head`: the first bytes. `utf8`: whether the whole file is text. */
export function kindOf(name: string, head: Uint8Array, utf8: boolean): Format {
  const ending = name.includes(".") ? name.slice(name.lastIndexOf(".") + 1).toLowerCase() : "";
  const begins = String.fromCharCode(...head.subarray(0, HEAD_BYTES));
  if (begins.startsWith(PDF)) return "pdf";
  for (const kind of ["png", "jpeg"] as const) if (PICTURES[kind]?.some((sign) => begins.startsWith(sign))) return kind;
  return BY_ENDING.get(ending) ?? (utf8 && !begins.startsWith(ZIP) ? "text" : "bytes");
}

/** Bytes at the end of a ZIP archive that contain the end of its directory. */
const ZIP_END_BYTES = 22 + 65_535;
const ZIP_END = "PK\u0005\u0006";
/** Formats of ZIP archives. */
const ARCHIVES: ReadonlySet<Format> = new Set<Format>(["docx", "xlsx", "pptx", "odt", "ods"]);

/** Whether an office document or PDF certainly cannot be opened: it is cut, or something else with that ending. */
export async function isDamaged(file: Blob, kind: Format): Promise<boolean> {
  if (kind === "pdf") return !(await latin(file.slice(0, 1024))).includes(PDF);
  const signs = PICTURES[kind];
  if (signs) {
    // A decoder of Latin-1 reads Windows-1252.
    const head = String.fromCharCode(...new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer()));
    return !signs.some((sign) => head.startsWith(sign));
  }
  if (!ARCHIVES.has(kind)) return false;
  const begins = await latin(file.slice(0, ZIP.length));
  return begins !== ZIP || !(await latin(file.slice(-ZIP_END_BYTES))).includes(ZIP_END);
}

async function latin(part: Blob): Promise<string> {
  return new TextDecoder("latin1").decode(await part.arrayBuffer());
}

/** The name of the format; null for text and unknown formats, whose media type says more. */
export function kindText(kind: Format): string | null {
  return kind === "text" || kind === "bytes" ? null : FORMATS[kind].label;
}
