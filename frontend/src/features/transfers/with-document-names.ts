import { Problem } from "@/api/problem";
import type { DraftShown } from "@/api/types";

/** A refusal as its author reads it: documents that the gateway knows by their ids only go by their names. */
export function withDocumentNames(problem: Error, drafts: readonly DraftShown[]): Error {
  if (!(problem instanceof Problem)) return problem;
  const { status, detail, extra, retryAfterS } = problem;
  // By a function: a name may hold what a replacement takes for a pattern.
  const told = drafts.reduce((text, { document_id, name }) => text.replaceAll(document_id, () => `“${name}”`), detail);
  return new Problem(status, told, extra, retryAfterS);
}
