import type { UseQueryResult } from "@tanstack/react-query";
import { useState } from "react";

type Asked = Pick<UseQueryResult, "error" | "errorUpdatedAt" | "isPending">;

/**
 * Why `query` has failed, also while it tries again without data, and whether it has never been answered. The query
 * itself forgets its error then, so a page that polls would show and announce in turns that it loads and that it cannot.
 */
export function useKeptError(query: Asked): { error: Error | null; isPending: boolean } {
  const { error, errorUpdatedAt, isPending } = query;
  const [last, setLast] = useState({ error, errorUpdatedAt });
  if (error && error !== last.error) setLast({ error, errorUpdatedAt });
  // The time tells this query's failure from that of another one, for which the page asked before.
  const kept = error ?? (isPending && errorUpdatedAt === last.errorUpdatedAt ? last.error : null);
  return { error: kept, isPending: isPending && kept === null };
}
