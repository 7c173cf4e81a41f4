/** My own API tokens. */
import { queryOptions } from "@tanstack/react-query";
import { api, dataOf } from "./client";
import type { TokenMade } from "./types";

export const tokensQuery = queryOptions({
  queryKey: ["tokens"],
  queryFn: ({ signal }) => dataOf(api.GET("/api/v1/tokens", { signal })),
});

/** Creates a token, which only this answer contains. `expiresInS`: null for one that does not expire. */
export function makeToken(label: string, expiresInS: number | null): Promise<TokenMade> {
  return dataOf(api.POST("/api/v1/tokens", { body: { label, expires_in_s: expiresInS } }));
}

/** Revokes a token immediately. */
export async function revokeToken(id: string): Promise<void> {
  await api.DELETE("/api/v1/tokens/{token_id}", { params: { path: { token_id: id } } });
}
