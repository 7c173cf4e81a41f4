import { QueryClient } from "@tanstack/react-query";
import { isPassing, Problem } from "@/api/problem";

/** The query cache. It retries when the gateway does not answer, never when the gateway refuses. */
export function newQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        // Events invalidate what changes. This is for the time without events.
        staleTime: 30_000,
        // A gateway on this machine needs no network.
        networkMode: "always",
        retry: (failures, error) => error instanceof Problem && isPassing(error.status) && failures < 2,
      },
      mutations: { networkMode: "always", retry: false },
    },
  });
}
