/** What waits for a second admin. */
import { queryOptions } from "@tanstack/react-query";
import { api, dataOf } from "./client";
import type { components } from "./schema";

export type ApprovalShown = components["schemas"]["ApprovalShown"];

export const approvalsQuery = queryOptions({
  queryKey: ["approvals"],
  queryFn: ({ signal }) => dataOf(api.GET("/api/v1/approvals", { signal })),
});

/** Agrees, as the second admin. */
export async function agree(id: string): Promise<void> {
  await api.POST("/api/v1/approvals/{approval_id}/agree", { params: { path: { approval_id: id } } });
}

/** Refuses or withdraws the request. */
export async function refuse(id: string): Promise<void> {
  await api.POST("/api/v1/approvals/{approval_id}/refuse", { params: { path: { approval_id: id } } });
}
