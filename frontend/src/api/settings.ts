/** The gateway's settings, read-only. */
import { queryOptions } from "@tanstack/react-query";
import { api, dataOf } from "./client";

export const settingsQuery = queryOptions({
  queryKey: ["settings"],
  queryFn: ({ signal }) => dataOf(api.GET("/api/v1/settings", { signal })),
});
