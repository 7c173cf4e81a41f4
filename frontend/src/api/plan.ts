/** How a document would travel to a peer, as the planner predicts it. */
import { queryOptions } from "@tanstack/react-query";
import { api, dataOf } from "./client";
import type { Mode } from "./transfers";

/** How it is to travel. A count of null is the gateway's choice. */
export interface Options {
  readonly mode: Mode;
  readonly secure_channels: number | null;
  readonly plain_channels: number | null;
}

/** What is sent: how many bytes, how many of them classified, in how many documents that go together. */
export interface Work {
  readonly bytes: number;
  readonly classified: number;
  readonly documents: number;
}

/** What is not asked for is the planner's choice. */
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

/** The options without what is left to the gateway. */
export function chosen({ mode, secure_channels, plain_channels }: Options) {
  return {
    mode,
    ...(secure_channels !== null && { secure_channels }),
    ...(plain_channels !== null && mode !== "secure-only" && { plain_channels }),
  };
}
