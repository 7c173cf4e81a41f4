/** One-time links with which people set a password. */
import { queryOptions } from "@tanstack/react-query";
import { api, dataOf } from "./client";
import type { SessionShown } from "./types";

/** The person that a link is for. 404 if it was used, has expired or never existed. */
export const linkQuery = (code: string | null) =>
  queryOptions({
    queryKey: ["one-time-link", code],
    queryFn: ({ signal }) => dataOf(api.POST("/api/v1/welcome/look", { body: { code: code ?? "" }, signal })),
    enabled: code !== null,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });

/** Sets the password and signs in. The link works once. */
export function redeemLink(code: string, password: string): Promise<SessionShown> {
  return dataOf(api.POST("/api/v1/welcome", { body: { code, password } }));
}
