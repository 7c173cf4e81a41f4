/** The language of the interface. It never changes while a page is open: a choice reloads the page. */
import { i18n } from "@lingui/core";

export const LANGUAGES = [
  // Each name is in its own language: not a text of the catalogue.
  { value: "en", label: "English" },
  // not a text
  { value: "fr", label: "Français" },
] as const;

export type Language = (typeof LANGUAGES)[number]["value"];

const KEY = "sieve-language";

/** The chosen language, or else the first of the browser's languages that the interface has, or else English. */
export function preferredLanguage(chosen: string | null, browser: readonly string[]): Language {
  for (const tag of [chosen ?? "", ...browser]) {
    const known = LANGUAGES.find(({ value }) => value === tag.split("-")[0]?.toLowerCase());
    if (known) return known.value;
  }
  return "en";
}

/** The choice that this browser keeps. */
export function storedLanguage(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

/** The language of this page. */
export function currentLanguage(): Language {
  return preferredLanguage(i18n.locale, []);
}

/** Keeps the choice in this browser and reloads the page. If something is unsaved, the browser asks first. */
export function chooseLanguage(language: Language): void {
  if (language === currentLanguage()) return;
  try {
    localStorage.setItem(KEY, language);
  } catch {
    // Without storage the browser's language stays.
    return;
  }
  window.location.reload();
}
