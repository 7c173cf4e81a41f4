import { useQueries } from "@tanstack/react-query";
import { checkQuery, type DocumentChecked, storedCheckQuery } from "@/api/findings";
import type { DraftShown } from "@/api/types";

/** A document and the result of its leak check. */
export interface CheckedDraft {
  readonly draft: DraftShown;
  readonly checked: DocumentChecked;
}

/**
 * The leak check of each document. `found`: the documents whose findings need a decision before sending; `digests`: of
 * all results, in order. `asStored`: they are not the latest versions of drafts.
 */
export function useLeakChecks(drafts: readonly DraftShown[], enabled: boolean, asStored = false) {
  const checks = useQueries({
    queries: drafts.map(({ id, document_id, revision }) => ({
      ...(asStored ? storedCheckQuery(document_id) : checkQuery(id, revision)),
      enabled,
    })),
  });
  const known = drafts.flatMap((draft, index): CheckedDraft[] => {
    const checked = checks[index]?.data;
    return checked ? [{ draft, checked }] : [];
  });
  const failed = checks.filter(({ error, data }) => error !== null && data === undefined);
  return {
    found: known.filter(({ checked: { rule, count } }) => rule !== "off" && count > 0),
    digests: known.map(({ checked }) => checked.digest),
    pending: checks.some(({ isPending }) => isPending) && failed.length === 0,
    error: failed[0]?.error ?? null,
    checkAgain: () => {
      for (const check of checks) void check.refetch();
    },
    retry: () => {
      for (const check of failed) void check.refetch();
    },
  };
}
