/** Filters of lists in the address, so that links and reloads keep them. */

type Raw = Record<string, unknown>;

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The named members of `raw` that are texts and not empty. */
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
export const documentsSearch = (raw: Raw) => texts(raw, ["search", "view", "sort", "tag"]);
export const compareSearch = (raw: Raw) => texts(raw, ["from", "to"]);
export const inboxSearch = (raw: Raw) => texts(raw, ["search", "view", "sort", "tag"]);
export const sentSearch = (raw: Raw) => texts(raw, ["search", "state", "peer", "sort"]);
export const transfersSearch = (raw: Raw) =>
  texts(raw, ["view", "search", "state", "peer", "author", "recipient", "since", "sort", "transfer"]);
export const guideSearch = (raw: Raw) => texts(raw, ["part"]);
export const auditSearch = (raw: Raw) => texts(raw, ["search", "actor", "kind", "since", "until"]);
export const signInSearch = (raw: Raw) => texts(raw, ["to"]);
