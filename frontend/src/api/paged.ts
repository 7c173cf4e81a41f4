/** Lists that the gateway gives page by page. */
import { infiniteQueryOptions, type QueryKey } from "@tanstack/react-query";

const PAGE = 50;
/** For how long a search goes on before it shows what it has found. */
const SEARCH_MS = 1000;

/** What a page of a list is asked with: how many rows at most, and after which one. */
export interface PageAsked {
  limit: number;
  after?: string;
}

/** `next`: what to ask for the next page with; null of the last one. */
interface Page<Row> {
  items: Row[];
  next: string | null;
}

/**
 * A query for a list, from its first page on. `load` asks for one page. A page of a search (`search`) may end before it is full; then
 * this goes on with the next one, for a second.
 */
export function pagedQuery<Row>(
  queryKey: QueryKey,
  load: (page: PageAsked, signal: AbortSignal) => Promise<Page<Row>>,
  search = "",
) {
  return infiniteQueryOptions({
    queryKey,
    queryFn: async ({ pageParam, signal }) => {
      const until = performance.now() + (search === "" ? 0 : SEARCH_MS);
      const page: Page<Row> = { items: [], next: pageParam };
      do {
        const asked = { limit: PAGE - page.items.length, ...(page.next && { after: page.next }) };
        const { items, next } = await load(asked, signal);
        page.items.push(...items);
        page.next = next;
      } while (page.next !== null && page.items.length < PAGE && performance.now() < until);
      return page;
    },
    initialPageParam: "",
    getNextPageParam: ({ next }) => next,
  });
}

/** How often to load a list again that no event announces changes of: a search that has ended early never, because it takes long. */
export const pollEvery =
  (ms: number | false) => (query: { state: { data?: { pages: readonly Page<unknown>[] } | undefined } }) => {
    const last = query.state.data?.pages.at(-1);
    const endedEarly = last !== undefined && last.next !== null && last.items.length < PAGE;
    return endedEarly ? false : ms;
  };
