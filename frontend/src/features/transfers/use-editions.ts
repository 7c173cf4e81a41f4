import { useQueries } from "@tanstack/react-query";
import { isFile } from "@/api/files";
import { redactedQuery } from "@/api/redacted-edition";
import type { DraftShown } from "@/api/types";

/** A file to send, and its redacted edition. */
export interface WithEdition {
  readonly draft: DraftShown;
  readonly bytes: number | null;
  /** Why there is no edition. */
  readonly note: string | null;
}

export interface Editions {
  /** The files whose answer has arrived. */
  readonly known: readonly WithEdition[];
  /** The files whose answer is loading, and those whose answer failed. */
  readonly asked: readonly DraftShown[];
  readonly unknown: readonly DraftShown[];
  /** Why it failed. */
  readonly error: Error | null;
  readonly retry: () => void;
}

/** The redacted editions of the files among `drafts`, loaded while `open`. */
export function useEditions(drafts: readonly DraftShown[], open: boolean): Editions {
  const files = drafts.filter(isFile);
  const queries = useQueries({
    queries: files.map((draft) => ({ ...redactedQuery(draft.document_id), enabled: open })),
  });
  const answers = files.flatMap((draft, at) => {
    const query = queries[at];
    return query ? [{ draft, query }] : [];
  });
  const failed = answers.filter(({ query }) => query.data === undefined && query.error !== null && !query.isFetching);
  return {
    known: answers.flatMap(({ draft, query: { data } }) =>
      data ? [{ draft, bytes: data.redacted_bytes, note: data.note }] : [],
    ),
    asked: answers
      .filter(({ query }) => query.data === undefined && (query.error === null || query.isFetching))
      .map(({ draft }) => draft),
    unknown: failed.map(({ draft }) => draft),
    error: failed[0]?.query.error ?? null,
    retry: () => {
      for (const { query } of failed) void query.refetch();
    },
  };
}
