/** The ways to import a file. */
import { plural, t } from "@lingui/core/macro";
import type { Form } from "@/api/drafts";
import type { Format } from "@/api/files";
import { viewOf } from "@/api/formats";
import { sizeText } from "@/lib/sizes";
import { MAX_SPANS, type ScanResult } from "./scan";

/**
 * `marked`: tags mark what is classified. `literal`: every character is content. `file`: the author marks parts of the
 * file's format, such as cells. `whole`: everything is classified, and the gateway does not read the file.
 */
export type ImportMode = "marked" | "literal" | "file" | "whole";

/** Whether the file is text. */
export function isUtf8(scanned: ScanResult): boolean {
  return scanned.notUtf8 === null;
}

/** Whether a text has tags, escaped ones among them. */
export function hasTags({ tags, escapes }: ScanResult): boolean {
  return tags + escapes > 0;
}

interface Examined {
  readonly scanned: ScanResult;
  readonly kind: Format;
  readonly damaged: boolean;
}

/** The suggested mode; null for a text with tags that do not match, where the author must choose. */
export function suggestedMode({ scanned, kind, damaged }: Examined): ImportMode | null {
  if (damaged) return "whole";
  const view = viewOf(kind);
  if (view === "bytes") return "whole";
  if (view !== "text" && view !== "rows") return "file";
  if (isUtf8(scanned) && hasTags(scanned)) return scanned.fault ? null : "marked";
  return view === "rows" ? "file" : "literal";
}

/** Whether the file is a text that can only be taken as it is: it has no tags, and nothing was converted. */
export function isPlainText({ scanned, kind, damaged, encoding }: Examined & { encoding: string | null }): boolean {
  return viewOf(kind) === "text" && !damaged && encoding === null && isUtf8(scanned) && !hasTags(scanned);
}

/** The size of the document without tags, in bytes. */
export function documentBytes(fileBytes: number, reading: ImportMode, scanned: ScanResult): number {
  return reading === "marked" ? fileBytes - 4 * scanned.tags - scanned.escapes : fileBytes;
}

/** Whether a file is too large for every mode. */
export function isTooLargeInAnyMode(fileBytes: number, maxBytes: number): boolean {
  return fileBytes > 2 * maxBytes + 8 * MAX_SPANS;
}

/** Says that a document of that size is too large, in a sentence; null if it is not. */
export function sizeProblem(bytes: number, maxBytes: number): string | null {
  if (bytes <= maxBytes) return null;
  return t`This document has ${{ size: exactly(bytes) }}. This gateway accepts up to ${{ most: exactly(maxBytes) }}. Split it, or ask an admin to raise the limit.`;
}

function exactly(bytes: number): string {
  const size = sizeText(bytes);
  return bytes < 1000 ? size : plural(bytes, { one: `${size} (# byte)`, other: `${size} (# bytes)` });
}

/** The body to send. Does not read the file. */
export function bodyOf(file: Blob, reading: ImportMode): { form: Form; body: Blob } {
  if (reading !== "whole") return { form: reading, body: file };
  const spans = file.size > 0 ? [[0, file.size]] : [];
  return { form: "framed", body: new Blob([`${JSON.stringify(spans)}\n`, file]) };
}
