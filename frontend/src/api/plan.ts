/** The planner's estimate for documents to a peer. */
import { queryOptions } from "@tanstack/react-query";
import { api, dataOf } from "./client";
import type { Mode } from "./transfers";
import type { PlanEstimate } from "./types";

/** How to send. For a count of null, the gateway chooses. */
export interface Options {
  readonly mode: Mode;
  readonly secure_channels: number | null;
  readonly plain_channels: number | null;
}

/** The documents to send together: their bytes, how many of those are classified, and their number. */
export interface Work {
  readonly bytes: number;
  readonly classified: number;
  readonly documents: number;
}

/** The estimate for these options. */
export const planQuery = (peer: string, work: Work, asked: Options) =>
  queryOptions({
    queryKey: ["peers", peer, "plan", work, asked],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET("/api/v1/peers/{name}/plan", {
          params: { path: { name: peer }, query: { ...work, ...chosen(asked) } },
          signal,
        }),
      ),
    retry: false,
  });

/** The options without those that the gateway chooses. */
export function chosen({ mode, secure_channels, plain_channels }: Options) {
  return {
    mode,
    ...(secure_channels !== null && { secure_channels }),
    ...(plain_channels !== null && mode !== "secure-only" && { plain_channels }),
  };
}

/** The mode that an estimate shows; null without one. */
export function shownMode(estimate: PlanEstimate | null): "sieve" | "secure-only" | null {
  if (!estimate) return null;
  return estimate.mode === "secure-only" ? "secure-only" : "sieve";
}
