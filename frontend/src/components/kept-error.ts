import type { UseQueryResult } from "@tanstack/react-query";
import { useState } from "react";

type Asked = Pick<UseQueryResult, "error" | "isPending" | "isFetched">;

/**
 * Why `query` has failed, also while it tries again without data, and whether it has never been answered. The query
 * itself forgets its error then, so a page that polls would show and announce in turns that it loads and that it cannot.
 */
export function useKeptError(query: Asked): { error: Error | null; isPending: boolean } {
  const { error, isPending, isFetched } = query;
  const [last, setLast] = useState(error);
  if (error && error !== last) setLast(error);
  const kept = error ?? (isPending && isFetched ? last : null);
  return { error: kept, isPending: isPending && kept === null };
}
