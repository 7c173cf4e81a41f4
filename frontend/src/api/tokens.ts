/** API tokens: my own, and those of accounts, for admins. */
import { queryOptions } from "@tanstack/react-query";
import { api, dataOf } from "./client";
import type { components } from "./schema";
import type { TokenMade } from "./types";

export type Scope = components["schemas"]["TokenShown"]["scopes"][number];
export type TokenDays = components["schemas"]["TokenAsked"]["expires_in_days"];
export type TokenAsked = { label: string; expires_in_days: TokenDays; scopes: Scope[] };

export const tokensQuery = queryOptions({
  queryKey: ["tokens"],
  queryFn: ({ signal }) => dataOf(api.GET("/api/v1/tokens", { signal })),
});

/** The tokens of an account. */
export const tokensOfQuery = (personId: string) =>
  queryOptions({
    queryKey: ["tokens", personId],
    queryFn: ({ signal }) =>
      dataOf(api.GET("/api/v1/people/{person_id}/tokens", { params: { path: { person_id: personId } }, signal })),
  });

/** Creates a token, which only this answer contains. Throws a `Problem`: 403 if the person must confirm first that it is them. */
export function makeToken(asked: TokenAsked): Promise<TokenMade> {
  return dataOf(api.POST("/api/v1/tokens", { body: asked }));
}

/** Creates a token of a service account. */
export function makeServiceToken(personId: string, asked: TokenAsked): Promise<TokenMade> {
  return dataOf(
    api.POST("/api/v1/people/{person_id}/tokens", { params: { path: { person_id: personId } }, body: asked }),
  );
}

/** Revokes a token immediately. */
export async function revokeToken(id: string): Promise<void> {
  await api.DELETE("/api/v1/tokens/{token_id}", { params: { path: { token_id: id } } });
}

/** Revokes a token of that account immediately. */
export async function revokeTokenOf(personId: string, id: string): Promise<void> {
  await api.DELETE("/api/v1/people/{person_id}/tokens/{token_id}", {
    params: { path: { person_id: personId, token_id: id } },
  });
}
