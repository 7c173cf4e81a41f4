import { QueryClient } from "@tanstack/react-query";
import { isPassing, Problem } from "@/api/problem";

/** The query cache. Only what may pass by itself is tried again; the gateway's "no" is final. */
export function newQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        // Events tell of changes; what was loaded is good until then, or for a while where there are none.
        staleTime: 30_000,
        // A gateway on this machine is there without any network.
        networkMode: "always",
        retry: (failures, error) => error instanceof Problem && isPassing(error.status) && failures < 2,
      },
      mutations: { networkMode: "always", retry: false },
    },
  });
}
