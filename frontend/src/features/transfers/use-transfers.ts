import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { type TransferFilters, transfersQuery } from "@/api/transfers";
import { announce } from "@/components/announce";

interface Options {
  /** Somebody asked for only some of them: how many were found is announced. */
  filtered: boolean;
  /** How often to look, where no events tell. */
  pollMs: number | false;
}

/** The transfers that fit the filters, a page after the other. */
export function useTransfers(filters: TransferFilters, { filtered, pollMs }: Options) {
  const found = useInfiniteQuery({ ...transfersQuery(filters), refetchInterval: pollMs });
  const { data, hasNextPage, isPlaceholderData } = found;
  // One that came while pages were loaded may have pushed another onto two of them.
  const transfers = data && [
    ...new Map(data.pages.flatMap(({ items }) => items).map((transfer) => [transfer.id, transfer])).values(),
  ];
  useAnnouncedCount(filtered && !isPlaceholderData ? (transfers?.length ?? null) : null, hasNextPage);
  return {
    ...found,
    transfers,
    retry: () => void (found.isFetchNextPageError ? found.fetchNextPage() : found.refetch()),
  };
}

/** Says how many the filters have found, once they have. */
function useAnnouncedCount(count: number | null, more: boolean): void {
  useEffect(() => {
    if (count === null) return;
    announce(count === 1 ? "1 transfer found" : `${count}${more ? " or more" : ""} transfers found`);
  }, [count, more]);
}
