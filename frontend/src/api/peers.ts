/** The gateways that this one is paired with, and who can receive there. */
import { queryOptions } from "@tanstack/react-query";
import { api, dataOf } from "./client";
import type { components } from "./schema";
import type { PeerShown } from "./types";

type CodeShown = components["schemas"]["CodeShown"];
export type PeerQueue = components["schemas"]["PeerQueue"];
export type PeerContact = components["schemas"]["PeerContactShown"];
type PeerTested = components["schemas"]["PeerTested"];

const PEER = "/api/v1/peers/{name}" as const;

/** All peers, by name. */
export const peersQuery = queryOptions({
  queryKey: ["peers"],
  queryFn: ({ signal }) => dataOf(api.GET("/api/v1/peers", { signal })),
});

/** For admins: how sending to each peer goes. The gateway announces no changes of it. */
export const peerQueuesQuery = queryOptions({
  queryKey: ["peers", "queues"],
  queryFn: async ({ signal }) => (await dataOf(api.GET("/api/v1/timings/queue", { signal }))).peers,
  refetchInterval: 10_000,
});

/** For admins: when each peer was last in contact. The gateway announces no changes of it. */
export const peerContactsQuery = queryOptions({
  queryKey: ["peers", "contacts"],
  queryFn: ({ signal }) => dataOf(api.GET("/api/v1/peer-contacts", { signal })),
  refetchInterval: 10_000,
});

/** The directory of a peer: its recipients, asked from the peer, or the last known ones while it does not answer. */
export const directoryQuery = (peer: string) =>
  queryOptions({
    queryKey: ["peers", peer, "recipients"],
    queryFn: ({ signal }) => dataOf(api.GET(`${PEER}/recipients`, { params: { path: { name: peer } }, signal })),
  });

/** The directory that this gateway knows of, at once; null if that gateway never answered. */
export const knownDirectoryQuery = (peer: string) =>
  queryOptions({
    queryKey: ["peers", peer, "recipients", "known"],
    queryFn: ({ signal }) => dataOf(api.GET(`${PEER}/recipients/known`, { params: { path: { name: peer } }, signal })),
  });

/** The recipients of that directory. */
export const recipientsQuery = (peer: string) =>
  queryOptions({ ...directoryQuery(peer), select: ({ recipients }) => recipients });

/** This gateway's code, which its admin reads out to the peer's. */
export const codeQuery = (peer: string) =>
  queryOptions({
    queryKey: ["peers", peer, "code"],
    queryFn: ({ signal }) => dataOf(api.GET(`${PEER}/code`, { params: { path: { name: peer } }, signal })),
  });

/** This gateway's invitation, for the other admin. */
export const invitationQuery = queryOptions({
  queryKey: ["peers", "our invitation"],
  queryFn: ({ signal }) => dataOf(api.GET("/api/v1/peers/invitation", { signal })),
});

/** Adds another gateway's invitation. It becomes a peer once its code is confirmed. */
export function takeInvitation(invitation: string): Promise<CodeShown> {
  return dataOf(api.POST("/api/v1/peers", { body: { invitation } }));
}

/** Activates a peer with the code that its admin reads out. */
export function confirmPeer(name: string, code: string): Promise<PeerShown> {
  return dataOf(api.POST(`${PEER}/confirm`, { params: { path: { name } }, body: { code } }));
}

/** Tests the secure channel to a peer. */
export function testPeer(name: string): Promise<PeerTested> {
  return dataOf(api.POST(`${PEER}/test`, { params: { path: { name } } }));
}

/** This gateway's code for a peer's new invitation. Changes nothing. */
export function renewalCode(name: string, invitation: string): Promise<CodeShown> {
  return dataOf(api.POST(`${PEER}/renewal-code`, { params: { path: { name } }, body: { invitation } }));
}

/** Adds a peer's new key and addresses. The old key stays valid until it is retired. */
export function renewPeer(name: string, invitation: string, code: string): Promise<PeerShown> {
  return dataOf(api.POST(`${PEER}/renew`, { params: { path: { name } }, body: { invitation, code } }));
}

/** Retires one of a peer's two keys. */
export function retirePin(name: string, pin: string): Promise<PeerShown> {
  return dataOf(api.DELETE(`${PEER}/pins/{pin}`, { params: { path: { name, pin } } }));
}

/** Ends the peering at once. */
export async function removePeer(name: string): Promise<void> {
  await api.DELETE(PEER, { params: { path: { name } } });
}
