/** Applies the gateway's events to the query cache and passes them to components. */
import { type QueryClient, type QueryFilters, useQuery, useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useEffect, useEffectEvent, useMemo, useState } from "react";
import { sessionQuery } from "@/api/session";
import type { ProgressShown } from "@/api/types";
import { type LiveData, type LiveEvent, type LiveState, listen } from "./events";
import { useSession } from "./session";

/** Queries whose key begins with one of these are reloaded when events may be missing. */
const LIVE_KEYS = ["transfers", "inbox", "drafts", "checks", "timings"] as const;

interface Live {
  state: LiveState;
  subscribe: (listener: (event: LiveEvent) => void) => () => void;
}

const LiveContext = createContext<Live>({ state: "connecting", subscribe: () => () => {} });

/** Whether events keep the page up to date. */
export function useLiveState(): LiveState {
  return useContext(LiveContext).state;
}

/** Calls `handler` with each event of that type, after the cache has it. */
export function useLiveEvent<Type extends keyof LiveData>(type: Type, handler: (data: LiveData[Type]) => void): void {
  const { subscribe } = useContext(LiveContext);
  const handle = useEffectEvent((event: LiveEvent) => {
    if (event.type === type) handler(event.data as LiveData[Type]);
  });
  useEffect(() => subscribe(handle), [subscribe]);
}

/** The latest progress of a transfer from events; null before the first one. */
export function useProgress(transferId: string): ProgressShown | null {
  // Only events fill this cache entry.
  const { data } = useQuery<ProgressShown | null>({
    queryKey: progressKey(transferId),
    queryFn: () => null,
    enabled: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data ?? null;
}

/** Keeps the cache up to date while its owner is signed in. */
export function LiveProvider({ children }: { children: ReactNode }) {
  const client = useQueryClient();
  const { person, status } = useSession();
  const [state, setState] = useState<LiveState>("connecting");
  const [listeners] = useState(() => new Set<(event: LiveEvent) => void>());
  const signedIn = status.is === "held";

  useEffect(() => {
    if (!signedIn) return;
    return listen(person.id, {
      onState: setState,
      onEvent: (event) => {
        applyEvent(client, event);
        for (const listener of listeners) listener(event);
      },
      onGap: () => {
        for (const key of LIVE_KEYS) {
          // Not timings that are loading, or were loaded a moment ago, when the page opened: they cost more than lists,
          // and are loaded again each minute.
          if (key === "timings") void client.invalidateQueries({ queryKey: [key], stale: true });
          else void loadAgain(client, { queryKey: [key] });
        }
      },
      onBreak: () => void client.invalidateQueries({ queryKey: sessionQuery.queryKey }),
    });
  }, [client, person.id, signedIn, listeners]);

  const live = useMemo<Live>(
    () => ({
      state,
      subscribe: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    }),
    [state, listeners],
  );
  return <LiveContext value={live}>{children}</LiveContext>;
}

/** The fields that lists show. An attempt that never reached the peer changes only the last two. */
const STATE_FIELDS = ["state", "verified", "reason", "next_try_at"] as const;

/** Applies an event to the cache. Reloads lists only when a transfer changes, not with its progress. */
export function applyEvent(client: QueryClient, event: LiveEvent): void {
  const again = (key: (typeof LIVE_KEYS)[number]) => void loadAgain(client, { queryKey: [key] });
  switch (event.type) {
    case "transfer": {
      const key = progressKey(event.data.transfer_id);
      const before = client.getQueryData<ProgressShown>(key);
      client.setQueryData(key, event.data);
      if (!before || STATE_FIELDS.some((member) => before[member] !== event.data[member])) {
        again("transfers");
        again("drafts");
        again("checks"); // they depend on what was sent before
      } else if (event.data.state === "delivered") {
        again("transfers"); // a recipient opened it
      }
      return;
    }
    case "inbox":
      again("inbox");
      // It may be a reply, which the page of the answered transfer lists.
      void loadAgain(client, { queryKey: ["transfers", "one"] });
      return;
    case "draft":
      again("drafts");
      return;
    case "timings":
      // The page loads them itself: they may change every second, and cost more than lists.
      void client.invalidateQueries({ queryKey: ["timings"], refetchType: "none" });
      return;
  }
}

/**
 * Loads what changed. `invalidateQueries` waits for a query that is being loaded for the first time, whose answer may be
 * older than the change: it is loaded again afterwards.
 */
async function loadAgain(client: QueryClient, filters: QueryFilters): Promise<void> {
  const loading = client
    .getQueryCache()
    .findAll({ ...filters, fetchStatus: "fetching", predicate: ({ state }) => state.data === undefined });
  await client.invalidateQueries(filters);
  await Promise.all(loading.map(({ queryKey }) => client.invalidateQueries({ queryKey, exact: true })));
}

function progressKey(transferId: string) {
  return ["progress", transferId] as const;
}
