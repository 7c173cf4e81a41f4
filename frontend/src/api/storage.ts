/** What the gateway stores and how long, for admins. */
import { queryOptions } from "@tanstack/react-query";
import { api, dataOf } from "./client";
import type { components } from "./schema";

export type StorageShown = components["schemas"]["StorageShown"];
export type DiskShown = components["schemas"]["DiskShown"];
export type RetentionShown = components["schemas"]["RetentionShown"];

export const storageQuery = queryOptions({
  queryKey: ["storage"],
  queryFn: ({ signal }) => dataOf(api.GET("/api/v1/storage", { signal })),
});
