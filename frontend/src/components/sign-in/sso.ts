/** Leads the browser to the provider, and remembers where it was. */
import { beginSso } from "@/api/sso";

// Of this tab alone, so that no other site can choose where people go after signing in.
const KEY = "sieve-sso-to";

/** Goes to the provider; after signing in, the person comes to `to`. `link`: the code of a one-time link. */
export async function goToProvider(to: string, link: string | null = null): Promise<void> {
  const url = await beginSso("sign-in", link);
  window.sessionStorage.setItem(KEY, to);
  window.location.assign(url);
}

/** Where the person wanted to go. */
export function takeDestination(): string | undefined {
  const to = window.sessionStorage.getItem(KEY) ?? undefined;
  window.sessionStorage.removeItem(KEY);
  return to;
}

/** Opens the provider in a new tab, so that this page keeps its unsaved changes. */
export function openProvider(purpose: "sign-in" | "confirmation"): void {
  window.open(`/sign-in/sso?begin=${purpose}`, "_blank", "noopener");
}
