import { i18n } from "@lingui/core";
import { preferredLanguage, storedLanguage } from "./language";

/** Loads the language. Call it before any module with texts is imported. */
export async function startLanguage(): Promise<void> {
  const language = preferredLanguage(storedLanguage(), navigator.languages);
  document.documentElement.lang = language;
  if (language === "fr") {
    const { messages } = await import("./french");
    i18n.loadAndActivate({ locale: "fr", messages });
  } else {
    const { startEnglish } = await import("./english");
    startEnglish();
  }
}
