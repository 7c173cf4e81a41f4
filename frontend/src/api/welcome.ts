/** A one-time link by which somebody sets a password. */
import { queryOptions } from "@tanstack/react-query";
import { api, dataOf } from "./client";
import type { SessionShown } from "./types";

/** Whose link it is. A 404 says that it was used, is too old, or never was. */
export const linkQuery = (code: string | null) =>
  queryOptions({
    queryKey: ["welcome", code],
    queryFn: ({ signal }) => dataOf(api.POST("/api/v1/welcome/look", { body: { code: code ?? "" }, signal })),
    enabled: code !== null,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });

/** Sets the password and signs in; the link is used up. */
export function redeemLink(code: string, password: string): Promise<SessionShown> {
  return dataOf(api.POST("/api/v1/welcome", { body: { code, password } }));
}
