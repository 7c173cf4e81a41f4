/** How an author declares a file to be read, and what follows from it. Nothing is ever guessed for a file with tags. */
import type { Form } from "@/api/drafts";
import type { Format } from "@/api/files";
import { viewOf } from "@/lib/formats";
import { sizeText } from "@/lib/sizes";
import { MAX_SPANS, type ScanResult } from "./scan";

/**
 * `marked`: tags say what is classified. `literal`: every character is content. `file`: it is marked by its places, as
 * its format has them. `whole`: all is classified, and nothing of it is read.
 */
export type ImportMode = "marked" | "literal" | "file" | "whole";

/** Whether what was found can be marked in parts at all. */
export function isUtf8(scanned: ScanResult): boolean {
  return scanned.notUtf8 === null;
}

/** Text without a tag reads the same either way, and a file of another kind is none; all else the author must say. */
export function suggestedMode(scanned: ScanResult, kind: Format): ImportMode | null {
  const view = viewOf(kind);
  if (view !== "text" && view !== "rows") return "file";
  if (isUtf8(scanned) && scanned.tags + scanned.escapes > 0) return null;
  return view === "rows" ? "file" : "literal";
}

/** Bytes of the document that the file would be: tags are none of it. */
export function documentBytes(fileBytes: number, reading: ImportMode, scanned: ScanResult): number {
  return reading === "marked" ? fileBytes - 4 * scanned.tags - scanned.escapes : fileBytes;
}

/** Whether a file is so large that the gateway takes it in no reading, whatever it holds. */
export function isTooLargeInAnyMode(fileBytes: number, maxBytes: number): boolean {
  return fileBytes > 2 * maxBytes + 8 * MAX_SPANS;
}

/** Why the gateway would not take a document of that size, as a sentence; null if it would. */
export function sizeProblem(bytes: number, maxBytes: number): string | null {
  if (bytes <= maxBytes) return null;
  return (
    `This document has ${exactly(bytes)}. This gateway accepts up to ${exactly(maxBytes)}. ` +
    "Split it, or ask an admin to raise the limit."
  );
}

function exactly(bytes: number): string {
  const told = sizeText(bytes);
  return told.endsWith("bytes") ? told : `${told} (${bytes.toLocaleString("en")} bytes)`;
}

/** What to send. The file itself is not read for it. */
export function bodyOf(file: Blob, reading: ImportMode): { form: Form; body: Blob } {
  if (reading !== "whole") return { form: reading, body: file };
  const spans = file.size > 0 ? [[0, file.size]] : [];
  return { form: "framed", body: new Blob([`${JSON.stringify(spans)}\n`, file]) };
}
