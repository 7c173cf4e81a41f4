import type { PersonShown, Role } from "@/api/types";

/** Whether a person has a role. Admins have no other roles by default. */
export function hasRole(person: PersonShown, role: Role): boolean {
  return { author: person.is_author, recipient: person.is_recipient, admin: person.is_admin }[role];
}

/** The first page of a person: their main work. */
export function homeOf(person: PersonShown): "/documents" | "/inbox" | "/admin/people" | "/account" {
  if (person.is_author) return "/documents";
  if (person.is_recipient) return "/inbox";
  return person.is_admin ? "/admin/people" : "/account";
}
