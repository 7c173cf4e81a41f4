/** The part of an address after its question mark. */

/** Earlier versions quoted what looks like a number: `?share=%2210%22`. */
const QUOTED = /^"([\d.eE+-]+|true|false|null)"$/;

/** Everything in an address is a text, also `10` of `?share=10`. */
export function parseSearch(address: string): Record<string, string> {
  const read = [...new URLSearchParams(address)].map(([name, value]) => [name, value.replace(QUOTED, "$1")] as const);
  return Object.fromEntries(read);
}

/** The address that `parseSearch` reads, with its question mark; empty without anything in it. */
export function stringifySearch(search: object): string {
  const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== null);
  return given.length > 0 ? `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}` : "";
}
