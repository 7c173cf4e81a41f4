import { useInfiniteQuery } from "@tanstack/react-query";
import { pollEvery } from "@/api/paged";
import { type TransferFilters, transfersQuery } from "@/api/transfers";
import { useAnnouncedCount, usePagedRows } from "@/components/paged-rows";

interface Options {
  /** The filters come from the reader: the number of results is announced. */
  filtered: boolean;
  /** How often to load the list again; false where events announce changes. */
  pollMs: number | false;
}

/** The transfers that match the filters, page by page. */
export function useTransfers(filters: TransferFilters, { filtered, pollMs }: Options) {
  const found = usePagedRows(useInfiniteQuery({ ...transfersQuery(filters), refetchInterval: pollEvery(pollMs) }));
  const { rows, isPlaceholderData, hasNextPage } = found;
  const asked = filtered && !isPlaceholderData ? JSON.stringify(filters) : "";
  useAnnouncedCount("transfer", asked, rows?.length, hasNextPage);
  return found;
}
