import { expect, it } from "vitest";
import { passwordRules } from "./passwords";

const kept = (password: string, login = "ada.lovelace@x") => passwordRules(password, login).map((rule) => rule.kept);

it("counts characters, not code units", () => {
  expect(kept("😀".repeat(11))).toEqual([false, true]);
  expect(kept("😀".repeat(12))).toEqual([true, true]);
});

it("refuses the login, however it is written", () => {
  expect(kept("Ada.Lovelace@X")).toEqual([true, false]);
});

it("keeps no rule while nothing is typed", () => {
  expect(kept("")).toEqual([false, false]);
});

it("mentions the maximum length only if it is exceeded", () => {
  expect(kept("é".repeat(512))).toEqual([true, true]);
  expect(kept("é".repeat(513))).toEqual([true, true, false]);
});
