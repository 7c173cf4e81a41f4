/** This gateway's name, version, limits and keys. */
import { queryOptions } from "@tanstack/react-query";
import { api, dataOf } from "./client";

export const gatewayQuery = queryOptions({
  queryKey: ["gateway"],
  queryFn: ({ signal }) => dataOf(api.GET("/api/v1/gateway", { signal })),
  staleTime: 10 * 60_000,
});
