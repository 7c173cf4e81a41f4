/** Uploads a file as a new draft. */
import { t } from "@lingui/core/macro";
import { importDraft } from "@/api/drafts";
import { mediaTypeOf } from "@/api/media-types";
import { asProblem, Problem, UNREACHABLE } from "@/api/problem";
import type { DraftShown } from "@/api/types";
import type { ExaminedFile } from "./examine-file";
import { bodyOf, documentBytes, type ImportMode, isUtf8, sizeProblem } from "./import-mode";

interface UploadAsked {
  file: File;
  examined: ExaminedFile;
  name: string;
  reading: ImportMode;
  maxBytes: number;
  signal: AbortSignal;
  onProgress: (sent: number, total: number) => void;
}

/** The upload failed. `lost`: the browser can no longer read the file. */
export class UploadError extends Error {
  override readonly name = "UploadError";
  readonly problem: Problem;
  readonly lost: boolean;

  constructor(problem: Problem, lost: boolean) {
    super(problem.detail);
    this.problem = problem;
    this.lost = lost;
  }
}

/**
 * Uploads the file. If that is cancelled or fails, the gateway keeps nothing.
 *
 * @throws UploadError; the signal's reason if it is aborted.
 */
export async function uploadFile(asked: UploadAsked): Promise<DraftShown> {
  const { file, examined, name, reading, maxBytes, signal, onProgress } = asked;
  // A file that is classified as a whole stays as it is.
  const content = reading === "whole" ? file : examined.content;
  const isTextNow = isUtf8(examined.scanned) && (reading !== "whole" || examined.encoding === null);
  try {
    const refused = sizeProblem(documentBytes(content.size, reading, examined.scanned), maxBytes);
    if (refused) throw new Problem(413, refused);
    signal.throwIfAborted();
    return await importDraft({
      name,
      mediaType: mediaTypeOf(file, isTextNow),
      ...bodyOf(content, reading),
      signal,
      onProgress,
    });
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    const problem = asProblem(error);
    // Browsers report an unreadable file only as a broken connection.
    const lost = problem.status === UNREACHABLE && !(await isReadable(content));
    throw new UploadError(lost ? fileLost() : problem, lost);
  }
}

/** Whether the browser can still read the file: false if it was changed, moved or removed. */
async function isReadable(file: File): Promise<boolean> {
  try {
    await file.slice(0, 1).arrayBuffer();
    return true;
  } catch {
    return false;
  }
}

function fileLost(): Problem {
  return new Problem(UNREACHABLE, t`The file was changed, moved or removed after you chose it. Choose it again.`);
}
