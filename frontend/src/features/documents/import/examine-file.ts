/** Reads a file before it is imported: its kind, its tags, and whether it must be converted. */
import type { Format } from "@/api/files";
import { isPicture } from "@/api/formats";
import { HEAD_BYTES, isDamaged, kindOf } from "./file-kind";
import { type FileHead, readHead } from "./preview";
import { type ScanResult, scan } from "./scan";
import { asUtf8, type Encoding } from "./text-encoding";

export interface ExaminedFile {
  /** The text in UTF-8 if the file had to be converted; else the file. */
  readonly content: File;
  /** What the text was converted from; null if it was not. */
  readonly encoding: Encoding | null;
  /** The first lines; null if the file is not text. */
  readonly head: FileHead | null;
  readonly scanned: ScanResult;
  readonly kind: Format;
  /** The gateway could not read it as this kind; it can still be classified as a whole. */
  readonly damaged: boolean;
}

/**
 * Examines a file. `onRead` is called with the number of bytes read so far.
 *
 * @throws the browser's error if it cannot read the file; the signal's reason if it is aborted.
 */
export async function examineFile(
  file: File,
  signal: AbortSignal,
  onRead: (bytes: number) => void,
): Promise<ExaminedFile> {
  const found = await examined(file, null, signal, onRead);
  if (found.scanned.notUtf8 === null || found.kind === "pdf" || isPicture(found.kind)) return found;
  const converted = await asUtf8(file);
  signal.throwIfAborted();
  if (!converted) return found;
  const text = await examined(converted.file, converted.encoding, signal, () => {});
  // Word files and the like are no text, whatever their bytes look like.
  return text.kind === "text" || text.kind === found.kind ? text : found;
}

async function examined(
  content: File,
  encoding: Encoding | null,
  signal: AbortSignal,
  onRead: (bytes: number) => void,
): Promise<ExaminedFile> {
  const head = await readHead(content);
  const scanned = await scan(content, signal, onRead);
  const begins = new Uint8Array(await content.slice(0, HEAD_BYTES).arrayBuffer());
  const kind = kindOf(content.name, begins, scanned.notUtf8 === null);
  return { content, encoding, head, scanned, kind, damaged: await isDamaged(content, kind) };
}
