import type { PersonShown, SessionShown } from "@/api/types";

/** An author and recipient, cleared; change what the test is about. */
export function somebody(change: Partial<PersonShown> = {}): PersonShown {
  return {
    id: "00000000000000000000000000000ada",
    name: "ada",
    display_name: "Ada",
    unit: null,
    is_author: true,
    is_recipient: true,
    is_admin: false,
    cleared: true,
    cleared_since: null,
    locked_before: null,
    is_service: false,
    admin_confirmed: false,
    has_password: true,
    has_sso: false,
    created_at: "2026-11-01T10:00:00Z",
    disabled_at: null,
    ...change,
  };
}

/** What the gateway `alpha` says of who is signed in. */
export function sessionOf(person: PersonShown | null): SessionShown {
  return {
    gateway: "alpha",
    needs_admin: false,
    passkeys: false,
    sso: null,
    laboratory: false,
    person,
    next_step: null,
  };
}
