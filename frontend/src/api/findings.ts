/** The gateway's leak check, which also runs before a document is sent. See docs/leak-guard.md. */
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { queryOptions } from "@tanstack/react-query";
import { api, dataOf, raw, timeout } from "./client";
import { READING_MS } from "./files";
import type { components } from "./schema";
import { saidText } from "./sentence-text";

/** `says`: in the language of the page. */
export type FindingShown = Omit<components["schemas"]["FindingShown"], "said">;
export interface DocumentChecked extends Omit<components["schemas"]["DocumentChecked"], "findings" | "suggestions"> {
  findings: FindingShown[];
  /** What may be another form of something marked. It never keeps a document from being sent. */
  suggestions: FindingShown[];
}

/** The gateway's limit. */
export const MOST_REASON = 1000;

/** The leak check of a revision. Its result can change with the policies and with what was sent before. */
export const checkQuery = (draftId: string, revision: number) =>
  queryOptions({
    queryKey: ["checks", draftId, revision],
    queryFn: ({ signal }) => checkDraft(draftId, signal),
    staleTime: 0,
    retry: false,
  });

/** The leak check of a document that is not the latest version of a draft. */
export const storedCheckQuery = (documentId: string) =>
  queryOptions({
    queryKey: ["checks", "document", documentId],
    queryFn: ({ signal }) =>
      dataOf(
        api.POST("/api/v1/documents/{document_id}/check", {
          params: { path: { document_id: documentId } },
          signal: AbortSignal.any([signal, timeout(0, READING_MS).signal]),
        }),
      ).then(inWords),
    staleTime: 0,
    retry: false,
  });

/** Checks the latest revision; the answer names it. */
export function checkDraft(draftId: string, signal: AbortSignal): Promise<DocumentChecked> {
  return dataOf(
    api.POST("/api/v1/drafts/{draft_id}/check", {
      params: { path: { draft_id: draftId } },
      signal: AbortSignal.any([signal, timeout(0, READING_MS).signal]),
    }),
  ).then(inWords);
}

/** Checks a marked text as if it were the draft's next save. The gateway does not keep it. */
export function checkUnsaved(draftId: string, marked: string, signal: AbortSignal): Promise<DocumentChecked> {
  return dataOf(
    api.POST("/api/v1/drafts/{draft_id}/check/unsaved", {
      params: { path: { draft_id: draftId } },
      ...raw(marked, "text/plain; charset=utf-8"),
      signal: AbortSignal.any([signal, timeout(marked.length).signal]),
    }),
  ).then(inWords);
}

/** The answer, with its sentences in the language of the page. */
function inWords(checked: components["schemas"]["DocumentChecked"]): DocumentChecked {
  const said = ({ said, ...one }: components["schemas"]["FindingShown"]) => ({
    ...one,
    says: saidText(said, one.says),
  });
  return { ...checked, findings: checked.findings.map(said), suggestions: checked.suggestions.map(said) };
}

/**
 * The digest that confirms the findings of several documents: SHA-256 over their digests in order. It needs a library,
 * because browsers offer Web Crypto only over HTTPS and on localhost.
 */
export function digestOfAll(digests: readonly string[]): string {
  return bytesToHex(sha256(utf8ToBytes(digests.join(""))));
}
