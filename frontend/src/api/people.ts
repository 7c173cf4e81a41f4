/** The accounts of this gateway, for its admins. */
import { queryOptions } from "@tanstack/react-query";
import { api, dataOf } from "./client";
import type { components } from "./schema";
import type { LinkMade, PersonShown } from "./types";

type PersonAsked = components["schemas"]["PersonAsked"];
type PersonChange = components["schemas"]["PersonChange"];

/** All people, by login. */
export const peopleQuery = queryOptions({
  queryKey: ["people"],
  queryFn: ({ signal }) => dataOf(api.GET("/api/v1/people", { signal })),
});

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
