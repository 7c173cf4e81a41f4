/** What the address of a list carries: filters and what is chosen, so that it can be linked and survives a reload. */

type Raw = Record<string, unknown>;

function text(value: unknown): string | undefined {
  // The router reads `?search=2026` as a number.
  const read = typeof value === "number" ? String(value) : value;
  return typeof read === "string" && read !== "" ? read : undefined;
}

/** Takes the named members of `raw` that are texts; leaves out what is missing or empty. */
function texts<Name extends string>(raw: Raw, names: readonly Name[]): Partial<Record<Name, string>> {
  const found: Partial<Record<Name, string>> = {};
  for (const name of names) {
    const value = text(raw[name]);
    if (value !== undefined) found[name] = value;
  }
  return found;
}

/** For pages with a search field alone. */
export const nameSearch = (raw: Raw) => texts(raw, ["search"]);
export const sentSearch = (raw: Raw) => texts(raw, ["search", "state", "peer"]);
export const transfersSearch = (raw: Raw) => texts(raw, ["search", "state", "peer", "author", "since"]);
export const signInSearch = (raw: Raw) => texts(raw, ["to"]);
