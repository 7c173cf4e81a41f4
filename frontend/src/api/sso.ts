/** Single sign-on: the browser goes to the provider and returns to `/sign-in/sso`. */
import { queryOptions } from "@tanstack/react-query";
import { api, dataOf } from "./client";
import type { components } from "./schema";

type Schemas = components["schemas"];
export type SsoPurpose = Schemas["Begun"]["purpose"];
export type SsoReturned = Schemas["Returned"];
export type SsoFinished = Schemas["Finished"];

/** Begins a flow, and returns where the browser goes. `link`: the code of a one-time link. */
export async function beginSso(purpose: SsoPurpose, link: string | null = null): Promise<string> {
  return (await dataOf(api.POST("/api/v1/session/sso/start", { body: { purpose, link } }))).url;
}

/** Gives the provider's answer to the gateway. Throws a `Problem` if it signs nobody in. */
export function finishSso(returned: SsoReturned): Promise<SsoFinished> {
  return dataOf(api.POST("/api/v1/session/sso", { body: returned }));
}

/** The provider's name, and where to sign out of it. */
export const providerQuery = queryOptions({
  queryKey: ["sso"],
  queryFn: ({ signal }) => dataOf(api.GET("/api/v1/session/sso", { signal })),
});
