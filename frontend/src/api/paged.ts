/** Lists that the gateway gives page by page. */
import { infiniteQueryOptions, type QueryKey } from "@tanstack/react-query";

const PAGE = 50;

/** What a page of a list is asked with: how many rows at most, and after which one. */
export interface PageAsked {
  limit: number;
  after?: string;
}

/** A query for a list, from its first page on. `load` asks for one page. */
export function pagedQuery<Row>(
  queryKey: QueryKey,
  load: (page: PageAsked, signal: AbortSignal) => Promise<{ items: Row[]; next: string | null }>,
) {
  return infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam, signal }) => load({ limit: PAGE, ...(pageParam && { after: pageParam }) }, signal),
    initialPageParam: "",
    getNextPageParam: ({ next }) => next,
  });
}
