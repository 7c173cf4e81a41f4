import { i18n } from "@lingui/core";

/** For numbers. */
export function numberLocale(): string {
  return i18n.locale;
}

/** For dates, times and lists: the day before the month, and no comma before "and". */
export function dateLocale(): string {
  return i18n.locale === "en" ? "en-GB" : i18n.locale;
}
