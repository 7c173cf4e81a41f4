import { expect, it } from "vitest";
import { preferredLanguage } from "./language";

it.each([
  [null, ["fr-CA", "en"], "fr"],
  [null, ["de", "fr", "en"], "fr"],
  [null, ["de"], "en"],
  [null, [], "en"],
  ["en", ["fr"], "en"],
  ["fr", ["en-US"], "fr"],
  ["unknown", ["fr"], "fr"],
])("for the choice %s and the browser's languages %s it is %s", (chosen, browser, language) => {
  expect(preferredLanguage(chosen, browser)).toBe(language);
});
