import { useQueries, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { directoryQuery, knownDirectoryQuery } from "@/api/peers";
import { type GatewayNamed, recentRecipientsQuery } from "@/api/recipients";
import { byLastUse, type Recipient } from "./recipients";

/** What is known about the people at a gateway. */
export interface DirectoryState {
  readonly peer: string;
  /** Whether that is this gateway itself. */
  readonly isOwn: boolean;
  readonly people: readonly Recipient[];
  readonly loading: boolean;
  /** Whether the people are those that the gateway named last, while it is asked again. */
  readonly refreshing: boolean;
  readonly error: Error | null;
  /** When the gateway named them, if it does not answer now. */
  readonly asOf: string | null;
  /** Whether it takes notes and requests for read receipts; null while that is not known. */
  readonly takesNotes: boolean | null;
  readonly retry: () => void;
}

/**
 * The people at these gateways, those used last first. Each gateway is asked by itself; until it answers, the people whom it
 * named last are shown.
 */
export function useDirectories(gateways: readonly GatewayNamed[], enabled: boolean) {
  const { data: recent } = useQuery({ ...recentRecipientsQuery, enabled });
  const known = useQueries({
    queries: gateways.map(({ name, is_own }) => ({
      ...knownDirectoryQuery(name),
      enabled: enabled && !is_own,
      retry: false,
    })),
    combine: (found) => found.map(({ data }) => data ?? null),
  });
  const directories = useQueries({
    // A timeout is long enough; the author decides whether to retry.
    queries: gateways.map(({ name, is_own }) => ({
      ...directoryQuery(name),
      enabled,
      retry: false,
      // This gateway answers at once, so a person who was just added is there.
      ...(is_own && { staleTime: 0 }),
    })),
    combine: (found) =>
      found.map(({ data, error, isFetching, refetch }, index): DirectoryState => {
        const { name: peer, is_own: isOwn } = gateways[index] ?? { name: "", is_own: false };
        const meanwhile = isFetching ? known[index] : null;
        const shown = data ?? meanwhile;
        return {
          peer,
          isOwn,
          people: shown?.recipients.map((one) => ({ ...one, peer, isOwn })) ?? [],
          loading: isFetching && !shown,
          refreshing: !data && Boolean(meanwhile),
          error: isFetching || data ? null : error,
          asOf: data?.as_of ?? null,
          takesNotes: shown?.takes_notes ?? null,
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
