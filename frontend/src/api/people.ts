/** The accounts of this gateway, for its admins. */
import { queryOptions } from "@tanstack/react-query";
import { api, dataOf, raw } from "./client";
import type { components } from "./schema";
import type { LinkMade, PersonShown } from "./types";

type PersonAsked = components["schemas"]["PersonAsked"];
type PersonChange = components["schemas"]["PersonChange"];

export type PeopleImport = components["schemas"]["PeopleImport"];
export type ImportRow = components["schemas"]["ImportRowShown"];
export type NewPersonLink = components["schemas"]["NewPersonLink"];

/** Bytes of the largest CSV file that the gateway imports. */
export const MAX_IMPORT_BYTES = 1_000_000;

/** All people, by login. */
export const peopleQuery = queryOptions({
  queryKey: ["people"],
  queryFn: ({ signal }) => dataOf(api.GET("/api/v1/people", { signal })),
});

/** The people who have a second factor. */
export const peopleFactorsQuery = queryOptions({
  queryKey: ["people", "factors"],
  queryFn: ({ signal }) => dataOf(api.GET("/api/v1/people/factors", { signal })),
});

/** Removes the second factors of a person who lost them, and signs them out. */
export async function removeFactors(id: string): Promise<void> {
  await api.DELETE("/api/v1/people/{person_id}/factors", { params: { path: { person_id: id } } });
}

/** A new account. It has no password until a link is used. */
export function addPerson(asked: PersonAsked): Promise<PersonShown> {
  return dataOf(api.POST("/api/v1/people", { body: asked }));
}

/** Changes the given fields. */
export function changePerson(id: string, change: PersonChange): Promise<PersonShown> {
  return dataOf(api.PATCH("/api/v1/people/{person_id}", { params: { path: { person_id: id } }, body: change }));
}

/** Creates a one-time link with which that person sets a password. Earlier links expire. */
export function makeLink(id: string): Promise<LinkMade> {
  return dataOf(api.POST("/api/v1/people/{person_id}/link", { params: { path: { person_id: id } } }));
}

/** What importing a CSV file would do; changes nothing. */
export function previewImport(file: Blob): Promise<PeopleImport> {
  return postFile(file, { preview: true });
}

/** Imports a CSV file if it does what the preview with that digest showed. */
export function importPeople(file: Blob, digest: string): Promise<PeopleImport> {
  return postFile(file, { expected: digest });
}

function postFile(file: Blob, query: { preview: true } | { expected: string }): Promise<PeopleImport> {
  return dataOf(api.POST("/api/v1/people/import", { params: { query }, ...raw(file, "text/csv") }));
}

/** All people as a CSV file. */
export async function exportPeople(): Promise<Blob> {
  const { data } = await api.GET("/api/v1/people/export", { parseAs: "blob" });
  return data as unknown as Blob;
}
