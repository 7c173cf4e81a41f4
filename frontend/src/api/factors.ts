/** My second factors. */
import { queryOptions } from "@tanstack/react-query";
import { api, dataOf } from "./client";
import { createPasskey } from "./passkeys";
import type { components } from "./schema";

type Schemas = components["schemas"];

export type FactorsShown = Schemas["FactorsShown"];
export type PasskeyShown = Schemas["PasskeyShown"];
export type AppSetUp = Schemas["AppSetUp"];

export const factorsQuery = queryOptions({
  queryKey: ["factors"],
  queryFn: ({ signal }) => dataOf(api.GET("/api/v1/factors", { signal })),
});

/** Creates a passkey in this browser and adds it. Returns recovery codes with the first factor. */
export async function addPasskey(name: string): Promise<readonly string[] | null> {
  const created = await createPasskey(await dataOf(api.GET("/api/v1/factors/passkey-options")));
  const passkey = created as unknown as Schemas["NewPasskey"];
  const added = await dataOf(api.POST("/api/v1/factors/passkeys", { body: { name, passkey } }));
  return added.recovery_codes;
}

export async function removePasskey(id: string): Promise<void> {
  await api.DELETE("/api/v1/factors/passkeys/{passkey_id}", { params: { path: { passkey_id: id } } });
}

/** A new secret for an authenticator app. It counts once `confirmApp` had a right code. */
export function setUpApp(): Promise<AppSetUp> {
  return dataOf(api.POST("/api/v1/factors/app"));
}

/** Adds the app. Returns recovery codes with the first factor. */
export async function confirmApp(code: string): Promise<readonly string[] | null> {
  return (await dataOf(api.POST("/api/v1/factors/app/confirmation", { body: { code } }))).recovery_codes;
}

export async function removeApp(): Promise<void> {
  await api.DELETE("/api/v1/factors/app");
}

/** Ten new codes; the earlier ones are no longer valid. */
export async function makeRecoveryCodes(): Promise<readonly string[]> {
  return (await dataOf(api.POST("/api/v1/factors/recovery-codes"))).recovery_codes;
}
