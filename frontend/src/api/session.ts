/** Signing in and out, and the query for who is signed in. */
import { queryOptions } from "@tanstack/react-query";
import { api, dataOf } from "./client";
import type { SessionShown } from "./types";

export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: ({ signal }) => dataOf(api.GET("/api/v1/session", { signal })),
  staleTime: 60_000,
});

/** Throws a `Problem`: 401 for a wrong name or password, 429 with `retryAfterS` after too many attempts. */
export function signIn(name: string, password: string): Promise<SessionShown> {
  return dataOf(api.POST("/api/v1/session", { body: { name, password } }));
}

/** Ends this sign-in. */
export async function signOut(): Promise<void> {
  await api.DELETE("/api/v1/session");
}

/** Ends all my sign-ins, including this one. */
export async function signOutEverywhere(): Promise<void> {
  await api.DELETE("/api/v1/sessions");
}
