/** What this gateway says of itself: its name, version, limits and keys. */
import { queryOptions } from "@tanstack/react-query";
import { api, got } from "./client";

export const gatewayQuery = queryOptions({
  queryKey: ["gateway"],
  queryFn: ({ signal }) => got(api.GET("/api/v1/gateway", { signal })),
  staleTime: 10 * 60_000,
});
