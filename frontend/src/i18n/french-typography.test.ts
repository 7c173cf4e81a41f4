import { expect, it } from "vitest";
import { frenchTypography } from "./french-typography";

it.each([
  ["Supprimer ce document ?", "Supprimer ce document\u00a0?"],
  ["Document : « {name} » !", "Document\u00a0: «\u00a0{name}\u00a0»\u00a0!"],
  ["d'{name}, l'<0>admin</0>", "d’{name}, l’<0>admin</0>"],
  ["{count, plural, one {# marque} other {# marques}}", "{count, plural, one {# marque} other {# marques}}"],
  ["10 % à 13:10", "10\u00a0% à 13:10"],
])("%s", (written, set) => {
  expect(frenchTypography(written)).toBe(set);
  expect(frenchTypography(set)).toBe(set);
});
