/** Parts of sentences. */

const MOST_NAMED = 5;

/** A peer's name at the start of a sentence. */
export function capitalised(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** "Rosa", "Rosa and Max", "Rosa, Max and Ida". */
export function listText(names: readonly string[]): string {
  if (names.length < 2) return names.join("");
  return `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

/** The names of documents for a sentence; only the first ones if there are many. */
export function quotedNames(documents: readonly { readonly name: string }[]): string {
  const names = documents.map(({ name }) => `“${name}”`);
  const more = names.length - MOST_NAMED;
  return listText(more > 1 ? [...names.slice(0, MOST_NAMED), `${more} more`] : names);
}

/** "with 1 other", "with 4 others": for documents that were sent together. */
export function withOthers(batch: number): string {
  return batch === 2 ? "with 1 other" : `with ${batch - 1} others`;
}

/** Turns a reason from the gateway, which has no capital and no full stop, into a sentence. */
export function sentence(reason: string): string {
  const text = reason.charAt(0).toUpperCase() + reason.slice(1);
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

/** "1 rule", "1,200 rules". */
export function countText(count: number, one: string, many: string): string {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}
