/**
 * Which documents are text, by the gateway's rule. Text can be marked, shown and redacted; everything else is bytes.
 */

import { FORMATS, TEXT } from "@/api/catalogue";

const TEXT_TYPES: ReadonlySet<string> = new Set(TEXT.types);
const UTF8_CHARSETS: ReadonlySet<string> = new Set(TEXT.charsets);

/** Whether a document of this media type is text in UTF-8. Text in another charset counts as bytes. */
export function isText(mediaType: string): boolean {
  const [essence = "", ...parameters] = mediaType.split(";").map((part) => part.trim().toLowerCase());
  for (const parameter of parameters) {
    const [name, value = ""] = parameter.split("=");
    if (name?.trim() === "charset" && !UTF8_CHARSETS.has(value.trim().replaceAll('"', ""))) return false;
  }
  return essence.startsWith("text/") || TEXT_TYPES.has(essence) || TEXT.suffixes.some((end) => essence.endsWith(end));
}

/** Characters of Markdown that are rendered. Longer documents are shown as their source. */
export const MOST_RENDERED = 500_000;

/** Whether a document is Markdown, by the ending of its name or by its media type. */
export function isMarkdown(name: string, mediaType: string): boolean {
  const essence = (mediaType.split(";")[0] ?? "").trim().toLowerCase();
  return isText(mediaType) && (essence === "text/markdown" || /\.(md|markdown)$/i.test(name));
}

const NAME_OF_TEXT: Readonly<Record<string, string>> = {
  "text/markdown": "Markdown", // not a text
  "text/plain": FORMATS.text.label,
};

/** The name of the format of this media type, if it has one. */
export function nameOf(mediaType: string): string | undefined {
  return NAME_OF_TEXT[mediaType] ?? Object.values(FORMATS).find((format) => format.mediaType === mediaType)?.label;
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
 * The media type of a file. `utf8`: its content is text. Browsers only guess from the name: to them, TypeScript is a
 * video.
 */
export function mediaTypeOf(file: Pick<File, "name" | "type">, utf8: boolean): string {
  if (!utf8) return file.type && !isText(file.type) ? file.type : "application/octet-stream";
  const ending = file.name.slice(file.name.lastIndexOf(".") + 1).toLowerCase();
  return BY_ENDING[ending] ?? (isText(file.type) ? file.type : "text/plain");
}
