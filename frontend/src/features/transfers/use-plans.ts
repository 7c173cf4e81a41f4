import { useQueries } from "@tanstack/react-query";
import { type Options, planQuery, type Work } from "@/api/plan";
import type { PlanEstimate } from "@/api/types";

/** A gateway, and its plan once that is known. */
export interface PeerPlan {
  readonly peer: string;
  readonly plan: PlanEstimate | null;
}

/** How the documents would be sent to each of these gateways. */
export function usePlans(peers: readonly string[], work: Work, options: Options): readonly PeerPlan[] {
  return useQueries({
    queries: peers.map((peer) => planQuery(peer, work, options)),
    combine: (found) => found.map(({ data }, index) => ({ peer: peers[index] ?? "", plan: data ?? null })),
  });
}
