/** Why a file cannot be imported: known before the upload, or reported by the gateway. */
import { t } from "@lingui/core/macro";
import { Problem, UNREACHABLE } from "@/api/problem";
import { sizeText } from "@/lib/sizes";
import { documentBytes, type ImportMode, sizeProblem } from "./import-mode";
import type { ScanResult } from "./scan";
import type { UploadState } from "./use-upload";

/** Statuses without an answer from the gateway itself. */
const NO_ANSWER = new Set([UNREACHABLE, 502, 504]);

/** Why an import is not possible, or failed. `blocking`: another try cannot succeed. */
interface ImportError {
  title: string;
  problem: Problem;
  blocking: boolean;
  retry: boolean;
}

/** Why the file cannot be imported in this mode, or was not; null if it can. */
export function importErrorOf(
  file: File,
  reading: ImportMode,
  scanned: ScanResult,
  maxBytes: number,
  sending: UploadState,
): ImportError | null {
  const { fault } = scanned;
  if (reading === "marked" && fault) {
    const problem = new Problem(
      422,
      t`Line ${{ line: fault.line }}, column ${{ column: fault.column }}: ${{ reason: fault.reason }}.`,
    );
    return { title: t`This file cannot be imported as marked text.`, problem, blocking: true, retry: false };
  }
  const large = sizeError(documentBytes(file.size, reading, scanned), maxBytes);
  if (large) return large;
  if (sending.is !== "failed") return null;
  const { problem, lost } = sending;
  const final = lost || problem.status === 422 || problem.status === 413;
  return { title: titleOf(sending), problem, blocking: false, retry: !final };
}

/** The gateway keeps nothing of an incomplete upload; a complete one without an answer may have become a document. */
function titleOf({ problem: { status }, sent, total }: UploadState & { is: "failed" }): string {
  if (NO_ANSWER.has(status) && sent > 0) {
    return sent < total
      ? t`The upload stopped after ${{ size: sizeText(sent) }}. Nothing was saved.`
      : t`The file was uploaded, but the gateway did not respond. Check your list of documents before you try again.`;
  }
  return t`The file was not imported. Nothing was saved.`;
}

/** The error for a document that is too large; null if it is not. */
export function sizeError(bytes: number, maxBytes: number): ImportError | null {
  const large = sizeProblem(bytes, maxBytes);
  return large
    ? { title: t`The file is too large.`, problem: new Problem(413, large), blocking: true, retry: false }
    : null;
}
