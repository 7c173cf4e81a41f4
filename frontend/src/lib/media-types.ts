/** Which documents are text, by the gateway's rule: those can be marked, shown and redacted; others are bytes. */

const TEXT_TYPES = new Set([
  "application/ecmascript",
  "application/javascript",
  "application/json",
  "application/sql",
  "application/toml",
  "application/x-ndjson",
  "application/x-sh",
  "application/xml",
  "application/yaml",
]);
const TEXT_SUFFIXES = ["+json", "+xml", "+yaml"];
const UTF8_CHARSETS = new Set(["utf-8", "utf8", "us-ascii"]);

/** Whether a document of this media type is text in UTF-8. Text in another charset is bytes to us. */
export function isText(mediaType: string): boolean {
  const [essence = "", ...parameters] = mediaType.split(";").map((part) => part.trim().toLowerCase());
  for (const parameter of parameters) {
    const [name, value = ""] = parameter.split("=");
    if (name?.trim() === "charset" && !UTF8_CHARSETS.has(value.trim().replaceAll('"', ""))) return false;
  }
  return essence.startsWith("text/") || TEXT_TYPES.has(essence) || TEXT_SUFFIXES.some((end) => essence.endsWith(end));
}

const NAMES: Readonly<Record<string, string>> = {
  "application/pdf": "PDF document",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "Excel workbook",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "Word document",
};

/** What people call it, where they have a name for it. */
export function nameOf(mediaType: string): string | undefined {
  return NAMES[mediaType];
}

const BY_ENDING: Readonly<Record<string, string>> = {
  csv: "text/csv",
  htm: "text/html",
  html: "text/html",
  json: "application/json",
  markdown: "text/markdown",
  md: "text/markdown",
  sql: "application/sql",
  toml: "application/toml",
  xml: "application/xml",
  yaml: "application/yaml",
  yml: "application/yaml",
};

/**
 * The media type to give a file. What it holds decides whether that is one of text (`utf8`); browsers guess from the
 * name, and call TypeScript a video.
 */
export function mediaTypeOf(file: Pick<File, "name" | "type">, utf8: boolean): string {
  if (!utf8) return file.type && !isText(file.type) ? file.type : "application/octet-stream";
  const ending = file.name.slice(file.name.lastIndexOf(".") + 1).toLowerCase();
  return BY_ENDING[ending] ?? (isText(file.type) ? file.type : "text/plain");
}
