import { useQueries } from "@tanstack/react-query";
import { checkQuery, type DocumentChecked } from "@/api/findings";
import type { DraftShown } from "@/api/types";

/** A document, and what the leak check has found in it. */
export interface CheckedDraft {
  readonly draft: DraftShown;
  readonly checked: DocumentChecked;
}

/**
 * The leak check of each document. `found`: those that want a decision before they may go; `digests`: of all of
 * them, in their order, once each was checked.
 */
export function useLeakChecks(drafts: readonly DraftShown[], enabled: boolean) {
  const looks = useQueries({ queries: drafts.map(({ id, revision }) => ({ ...checkQuery(id, revision), enabled })) });
  const known = drafts.flatMap((draft, index): CheckedDraft[] => {
    const checked = looks[index]?.data;
    return checked ? [{ draft, checked }] : [];
  });
  const failed = looks.filter(({ error, data }) => error !== null && data === undefined);
  return {
    found: known.filter(({ checked: { rule, count } }) => rule !== "off" && count > 0),
    digests: known.map(({ checked }) => checked.digest),
    pending: looks.some(({ isPending }) => isPending) && failed.length === 0,
    error: failed[0]?.error ?? null,
    lookAgain: () => {
      for (const look of looks) void look.refetch();
    },
    retry: () => {
      for (const look of failed) void look.refetch();
    },
  };
}
