/** What tokens allow, in words. */
import { t } from "@lingui/core/macro";
import type { Scope } from "@/api/tokens";
import type { PersonShown } from "@/api/types";

export const SCOPE_NAMES: Readonly<Record<Scope, string>> = {
  send: t({ context: "what a token allows", message: "Send" }),
  read: t({ context: "what a token allows", message: "Receive" }),
  admin: t({ context: "what a token allows", message: "Administer" }),
};

export const SCOPE_HINTS: Readonly<Record<Scope, string>> = {
  send: t`Write and send documents, as an author.`,
  read: t`Read received documents, as a recipient.`,
  admin: t`Manage people, peers and settings, as an admin.`,
};

/** The scopes of a person's roles. */
export function scopesOf(person: PersonShown): Scope[] {
  return [
    ...(person.is_author ? ["send" as const] : []),
    ...(person.is_recipient ? ["read" as const] : []),
    ...(person.is_admin ? ["admin" as const] : []),
  ];
}

/** "Send, Receive"; "Nothing" for a token without scopes. */
export function scopesText(scopes: readonly Scope[]): string {
  return (
    scopes.map((scope) => SCOPE_NAMES[scope]).join(", ") || t({ context: "what a token allows", message: "Nothing" })
  );
}
