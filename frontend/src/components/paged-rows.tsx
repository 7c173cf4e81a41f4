/** Lists that load page by page. */
import { plural, t } from "@lingui/core/macro";
import type { InfiniteData, UseInfiniteQueryResult } from "@tanstack/react-query";
import { SearchX } from "lucide-react";
import { type ReactNode, useEffect, useMemo } from "react";
import { announce } from "./announce";
import { useKeptError } from "./kept-error";
import { Button } from "./ui/Button";
import { EmptyState } from "./ui/EmptyState";
import { ErrorPanel } from "./ui/ErrorPanel";

interface Page<Row> {
  readonly items: readonly Row[];
}

/**
 * The rows that `query` has loaded, each once, and a button for more; false if there are no more. A search may have
 * found none although there are more to look at.
 */
export function usePagedRows<Row extends { id: string }>(
  query: UseInfiniteQueryResult<InfiniteData<Page<Row>>>,
  moreLabel = t`Show more`,
) {
  const kept = useKeptError(query);
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const rows = useMemo(
    // A row that changes while pages load can be on two of them.
    () => data && [...new Map(data.pages.flatMap(({ items }) => items).map((row) => [row.id, row])).values()],
    [data],
  );
  const more: ReactNode = hasNextPage && (
    <Button busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
      {rows?.length === 0 ? t`Search further` : moreLabel}
    </Button>
  );
  return { ...query, ...kept, rows, more };
}

interface PagedErrorProps {
  found: Pick<
    UseInfiniteQueryResult<InfiniteData<Page<unknown>>>,
    "error" | "data" | "refetch" | "fetchNextPage" | "isFetchNextPageError"
  >;
  /** "your documents". */
  what: string;
}

/** Why a list could not be loaded or updated, if it could not. */
export function PagedError({ found, what }: PagedErrorProps) {
  return (
    found.error && (
      <ErrorPanel
        title={found.data ? t`Could not update the list.` : t`Could not load ${what}.`}
        problem={found.error}
        onRetry={() => (found.isFetchNextPageError ? found.fetchNextPage() : found.refetch())}
      />
    )
  );
}

/** In the place of the rows of a search that has found none yet. `more`: the button to go on. */
export function NothingYet({ more }: { more: ReactNode }) {
  return (
    <EmptyState icon={<SearchX aria-hidden />} title={t`Nothing found yet`} action={more}>
      {t`The search has looked at the first documents of the list only.`}
    </EmptyState>
  );
}

const FOUND = {
  document: (count: number) => plural(count, { one: "# document found", other: "# documents found" }),
  transfer: (count: number) => plural(count, { one: "# transfer found", other: "# transfers found" }),
  result: (count: number) => plural(count, { one: "# result found", other: "# results found" }),
};

/** Announces how many rows a search has found: "2 documents found so far". `asked`: the search; empty if there is none. */
export function useAnnouncedCount(
  what: keyof typeof FOUND,
  asked: string,
  count: number | undefined,
  more: boolean,
): void {
  useEffect(() => {
    if (asked === "" || count === undefined) return;
    const found = FOUND[what](count);
    announce(more ? t`${found} so far` : found);
  }, [what, asked, count, more]);
}
