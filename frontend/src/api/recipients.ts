/** To whom the author sent documents lately, and the groups of recipients that they saved. */
import { queryOptions } from "@tanstack/react-query";
import { api, dataOf } from "./client";
import type { components } from "./schema";

export type RecipientGroup = components["schemas"]["GroupShown"];
/** A person by their login (`name`) at a gateway. */
export type RecipientNamed = components["schemas"]["RecipientNamed"];

export type GatewayNamed = components["schemas"]["GatewayNamed"];

const GROUP = "/api/v1/recipient-groups/{group_id}" as const;

/** The gateways to which the author can send: this one first, then the active peers by name. */
export const gatewaysQuery = queryOptions({
  queryKey: ["recipients", "gateways"],
  queryFn: ({ signal }) => dataOf(api.GET("/api/v1/recipients/gateways", { signal })),
});

/** To whom the author sent documents lately, the last first. */
export const recentRecipientsQuery = queryOptions({
  queryKey: ["recipients", "recent"],
  queryFn: ({ signal }) => dataOf(api.GET("/api/v1/recipients/recent", { signal })),
});

/** The author's groups of recipients, by name. */
export const recipientGroupsQuery = queryOptions({
  queryKey: ["recipients", "groups"],
  queryFn: ({ signal }) => dataOf(api.GET("/api/v1/recipient-groups", { signal })),
});

/** Saves a new group. */
export function addGroup(name: string, members: readonly RecipientNamed[]): Promise<RecipientGroup> {
  return dataOf(api.POST("/api/v1/recipient-groups", { body: { name, members: [...members] } }));
}

/** Renames a group, and replaces its members. */
export function changeGroup(id: string, name: string, members: readonly RecipientNamed[]): Promise<RecipientGroup> {
  return dataOf(api.PATCH(GROUP, { params: { path: { group_id: id } }, body: { name, members: [...members] } }));
}

/** Deletes a group. */
export async function deleteGroup(id: string): Promise<void> {
  await api.DELETE(GROUP, { params: { path: { group_id: id } } });
}
