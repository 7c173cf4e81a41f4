import { Problem } from "@/api/problem";
import type { DraftShown } from "@/api/types";

/** A refusal with the names of documents in place of their IDs. */
export function withDocumentNames(problem: Error, drafts: readonly DraftShown[]): Error {
  if (!(problem instanceof Problem)) return problem;
  const { status, detail, extra, retryAfterS } = problem;
  // A function, because a name may contain replacement patterns such as "$&".
  const text = drafts.reduce(
    (sentence, { document_id, name }) => sentence.replaceAll(document_id, () => `“${name}”`),
    detail,
  );
  return new Problem(status, text, extra, retryAfterS);
}
