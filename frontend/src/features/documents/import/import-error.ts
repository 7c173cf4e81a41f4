/** Why a file cannot be imported: known before it is sent, or said by the gateway. */
import { Problem, UNREACHABLE } from "@/api/problem";
import { sizeText } from "@/lib/sizes";
import { documentBytes, type ImportMode, sizeProblem } from "./import-mode";
import type { ScanResult } from "./scan";
import type { UploadState } from "./use-upload";

/** No answer of the gateway itself. */
const NO_ANSWER = new Set([UNREACHABLE, 502, 504]);

/** Why a file cannot be imported so, or could not. `blocking`: it would not help to try again. */
interface ImportError {
  title: string;
  problem: Problem;
  blocking: boolean;
  retry: boolean;
}

/** Why it cannot be imported in this reading, or was not; null if nothing speaks against it. */
export function importErrorOf(
  file: File,
  reading: ImportMode,
  scanned: ScanResult,
  maxBytes: number,
  sending: UploadState,
): ImportError | null {
  const { fault } = scanned;
  if (reading === "marked" && fault) {
    const problem = new Problem(422, `Line ${fault.line}, column ${fault.column}: ${fault.reason}.`);
    return { title: "This file cannot be imported as marked text.", problem, blocking: true, retry: false };
  }
  const large = sizeError(documentBytes(file.size, reading, scanned), maxBytes);
  if (large) return large;
  if (sending.is !== "failed") return null;
  const { problem, lost } = sending;
  const final = lost || problem.status === 422 || problem.status === 413;
  return { title: titleOf(sending), problem, blocking: false, retry: !final };
}

/** A body that was cut leaves nothing at the gateway; one that was sent whole may be a document, if no answer came. */
function titleOf({ problem: { status }, sent, total }: UploadState & { is: "failed" }): string {
  if (NO_ANSWER.has(status) && sent > 0) {
    return sent < total
      ? `The upload stopped after ${sizeText(sent)}. Nothing was saved.`
      : "The file was uploaded, but the gateway did not respond. Check your list of documents before you try again.";
  }
  return "The file was not imported. Nothing was saved.";
}

/** Whether a document of that size is too large, and what to say then. */
export function sizeError(bytes: number, maxBytes: number): ImportError | null {
  const large = sizeProblem(bytes, maxBytes);
  return large
    ? { title: "The file is too large.", problem: new Problem(413, large), blocking: true, retry: false }
    : null;
}
