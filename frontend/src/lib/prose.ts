/** Parts of sentences. */
import { plural, t } from "@lingui/core/macro";
import { dateLocale } from "@/i18n/locale";

const MOST_NAMED = 5;
const LIST = new Intl.ListFormat(dateLocale(), { type: "conjunction" });

/** A peer's name at the start of a sentence. */
export function capitalised(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** "Rosa", "Rosa and Max", "Rosa, Max and Ida". */
export function listText(names: readonly string[]): string {
  return LIST.format(names);
}

/** The names of documents for a sentence; only the first ones if there are many. */
export function quotedNames(documents: readonly { readonly name: string }[]): string {
  const names = documents.map(({ name }) => t`“${name}”`);
  const more = names.length - MOST_NAMED;
  return listText(more > 1 ? [...names.slice(0, MOST_NAMED), t`${more} more`] : names);
}

/** "with 1 other document", "with 4 other documents": for documents that were sent together. */
export function withOthers(batch: number): string {
  const others = batch - 1;
  return plural(others, { one: "with # other document", other: "with # other documents" });
}

/** Turns a reason from the gateway, which has no capital and no full stop, into a sentence. */
export function sentence(reason: string): string {
  const text = reason.charAt(0).toUpperCase() + reason.slice(1);
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}
