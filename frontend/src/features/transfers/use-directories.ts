import { useQueries, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { directoryQuery } from "@/api/peers";
import { recentRecipientsQuery } from "@/api/recipients";
import { byLastUse, type Recipient } from "./recipients";

/** What is known about the people at a gateway. */
export interface DirectoryState {
  readonly peer: string;
  readonly people: readonly Recipient[];
  readonly loading: boolean;
  readonly error: Error | null;
  /** When the gateway named them, if it does not answer now. */
  readonly asOf: string | null;
  readonly retry: () => void;
}

/** The people at these gateways, those used last first. Each gateway is asked by itself. */
export function useDirectories(peers: readonly string[], enabled: boolean) {
  const { data: recent } = useQuery({ ...recentRecipientsQuery, enabled });
  const directories = useQueries({
    // A timeout is long enough; the author decides whether to retry.
    queries: peers.map((peer) => ({ ...directoryQuery(peer), enabled, retry: false })),
    combine: (found) =>
      found.map(({ data, error, isFetching, refetch }, index): DirectoryState => {
        const peer = peers[index] ?? "";
        return {
          peer,
          people: data?.recipients.map((one) => ({ ...one, peer })) ?? [],
          loading: isFetching && !data,
          error: isFetching || data ? null : error,
          asOf: data?.as_of ?? null,
          retry: () => void refetch(),
        };
      }),
  });
  const people = useMemo(
    () =>
      byLastUse(
        directories.flatMap((directory) => directory.people),
        recent ?? [],
      ),
    [directories, recent],
  );
  return { directories, people };
}
