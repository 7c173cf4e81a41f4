/** Signing in and out, and the query for who is signed in. */
import { queryOptions } from "@tanstack/react-query";
import { api, dataOf } from "./client";
import { askForPasskey } from "./passkeys";
import type { components } from "./schema";
import type { SessionShown } from "./types";

type Schemas = components["schemas"];

export type NextStep = Schemas["NextStep"];
/** The ways in which somebody can confirm that it is them. */
export type Methods = Schemas["Methods"];
/** One of them: a password, or a code. Passkeys ask the browser instead. */
export type TypedProof = { password: string } | { code: string } | { recovery_code: string };

export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: ({ signal }) => dataOf(api.GET("/api/v1/session", { signal })),
  staleTime: 60_000,
});

/** Who is signed in, asked again. */
export function fetchSession(): Promise<SessionShown> {
  return dataOf(api.GET("/api/v1/session"));
}

/** The answer may have a `next_step`. Throws a `Problem`: 401 for a wrong name or password, 429 with `retryAfterS` after too many attempts. */
export function signIn(name: string, password: string): Promise<SessionShown> {
  return dataOf(api.POST("/api/v1/session", { body: { name, password } }));
}

/** Signs in with a passkey alone. Throws a `Problem`. */
export async function signInWithPasskey(): Promise<SessionShown> {
  return dataOf(api.POST("/api/v1/session/passkey", { body: { passkey: await passkeyFor("sign-in") } }));
}

/** Finishes a sign-in: with a passkey, or what was typed. Throws a `Problem`: 403 for a wrong factor, 401 if it took too long. */
export async function finishSignIn(proof: "passkey" | TypedProof): Promise<SessionShown> {
  const body = proof === "passkey" ? { passkey: await passkeyFor("factor") } : proof;
  return dataOf(api.POST("/api/v1/session/factor", { body }));
}

/** Whether the signed-in person has to confirm before changes to their sign-in, and how they can. */
export const confirmationQuery = queryOptions({
  queryKey: ["confirmation"],
  queryFn: ({ signal }) => dataOf(api.GET("/api/v1/session/confirmation", { signal })),
  staleTime: 0,
  gcTime: 0,
});

/** Confirms that it is the signed-in person. Throws a `Problem`: 403 if it is wrong. */
export async function confirmIdentity(proof: "passkey" | TypedProof): Promise<void> {
  const body = proof === "passkey" ? { passkey: await passkeyFor("confirmation") } : proof;
  await api.POST("/api/v1/session/confirmation", { body });
}

async function passkeyFor(purpose: "sign-in" | "factor" | "confirmation"): Promise<Schemas["UsedPasskey"]> {
  const options = await dataOf(api.GET("/api/v1/session/passkey-options", { params: { query: { purpose } } }));
  return (await askForPasskey(options)) as unknown as Schemas["UsedPasskey"];
}

/** Ends this sign-in. */
export async function signOut(): Promise<void> {
  await api.DELETE("/api/v1/session");
}

/** The browsers in which I am signed in. */
export const openSessionsQuery = queryOptions({
  queryKey: ["sessions"],
  queryFn: ({ signal }) => dataOf(api.GET("/api/v1/sessions", { signal })),
});

/** Ends one of my sign-ins. */
export async function endSession(id: string): Promise<void> {
  await api.DELETE("/api/v1/sessions/{session_id}", { params: { path: { session_id: id } } });
}

/** Ends all my sign-ins, including this one, and my API tokens. */
export async function signOutEverywhere(): Promise<void> {
  await api.DELETE("/api/v1/sessions");
}
