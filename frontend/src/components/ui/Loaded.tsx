import { t } from "@lingui/core/macro";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useKeptError } from "@/components/kept-error";
import { ErrorPanel } from "./ErrorPanel";
import { Skeleton } from "./Skeleton";

interface LoadedProps<Data> {
  query: UseQueryResult<Data>;
  /** "the peers". */
  what: string;
  /** How many lines the skeleton has. */
  lines?: number;
  children: (data: Data) => ReactNode;
}

/** What a query has loaded; a skeleton while it loads, and an error with a retry button if it cannot. */
export function Loaded<Data>({ query, what, lines = 3, children }: LoadedProps<Data>) {
  const { data, refetch } = query;
  const { error, isPending } = useKeptError(query);
  return (
    <>
      {error && <ErrorPanel title={t`Could not load ${what}.`} problem={error} onRetry={() => refetch()} />}
      {isPending && <Skeleton lines={lines} label={t`Loading ${what}`} />}
      {data !== undefined && children(data)}
    </>
  );
}
