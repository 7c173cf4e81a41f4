/** E-mails about documents that arrive, and webhooks. */
import { queryOptions } from "@tanstack/react-query";
import { api, dataOf } from "./client";
import type { components } from "./schema";

export type NotificationsShown = components["schemas"]["NotificationsShown"];
export type WebhookShown = components["schemas"]["WebhookShown"];
export type WebhookMade = components["schemas"]["WebhookMade"];

/** How I hear of documents that arrive. */
export const notificationsQuery = queryOptions({
  queryKey: ["notifications"],
  queryFn: ({ signal }) => dataOf(api.GET("/api/v1/me/notifications", { signal })),
});

/** Changes my e-mail address, and whether I get e-mails. */
export function changeNotifications(email: string | null, wanted: boolean): Promise<NotificationsShown> {
  return dataOf(api.PUT("/api/v1/me/notifications", { body: { email, email_notifications: wanted } }));
}

/** The webhooks of a person. */
export const webhooksQuery = (personId: string) =>
  queryOptions({
    queryKey: ["webhooks", personId],
    queryFn: ({ signal }) =>
      dataOf(api.GET("/api/v1/people/{person_id}/webhooks", { params: { path: { person_id: personId } }, signal })),
  });

/** Adds a webhook. Only this answer contains its secret. */
export function addWebhook(personId: string, url: string): Promise<WebhookMade> {
  const path = { person_id: personId };
  return dataOf(api.POST("/api/v1/people/{person_id}/webhooks", { params: { path }, body: { url } }));
}

/** Calls a webhook for a test; the problem, or null if there was none. */
export async function testWebhook(personId: string, id: string): Promise<string | null> {
  const path = { person_id: personId, webhook_id: id };
  return (await dataOf(api.POST("/api/v1/people/{person_id}/webhooks/{webhook_id}/test", { params: { path } })))
    .problem;
}

/** Removes a webhook. */
export async function removeWebhook(personId: string, id: string): Promise<void> {
  const path = { person_id: personId, webhook_id: id };
  await api.DELETE("/api/v1/people/{person_id}/webhooks/{webhook_id}", { params: { path } });
}
