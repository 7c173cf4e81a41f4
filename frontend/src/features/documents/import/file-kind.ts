/** What kind of file it is, as far as the gateway will read it so: by how it begins, else by the ending of its name. */

/** `table`: .csv, .tsv, .jsonl. `bytes`: nothing of it is understood. */
export type FileKind = "text" | "docx" | "xlsx" | "pdf" | "table" | "bytes";

const OFFICE: Readonly<Record<string, FileKind>> = { docx: "docx", docm: "docx", xlsx: "xlsx", xlsm: "xlsx" };
const TABLES = new Set(["csv", "tsv", "jsonl", "ndjson"]);
const PDF = "%PDF-";
const ZIP = "PK\u0003\u0004";

/** So much of a file is enough to tell. */
export const HEAD_BYTES = 8;

/** `head`: how the file begins. `utf8`: whether all of it is text. */
export function kindOf(name: string, head: Uint8Array, utf8: boolean): FileKind {
  const ending = name.includes(".") ? name.slice(name.lastIndexOf(".") + 1).toLowerCase() : "";
  const begins = String.fromCharCode(...head.subarray(0, HEAD_BYTES));
  if (begins.startsWith(PDF) || ending === "pdf") return "pdf";
  const office = OFFICE[ending];
  if (office) return office;
  if (TABLES.has(ending)) return "table";
  return utf8 && !begins.startsWith(ZIP) ? "text" : "bytes";
}

/** Its kind in words; null for text and what is not understood, of which the media type says more. */
export function kindText(kind: FileKind): string | null {
  return { text: null, docx: "Word document", xlsx: "Excel workbook", pdf: "PDF", table: "Table", bytes: null }[kind];
}
