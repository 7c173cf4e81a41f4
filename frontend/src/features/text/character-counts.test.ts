// @vitest-environment jsdom
import { expect, test } from "vitest";
import { charactersOf, charactersText } from "./character-counts";

test("characters: an emoji is one, and so is a line end", () => {
  expect(charactersOf("a\u{1f600}\r\nb")).toBe(4);
  expect([charactersText(1), charactersText(1_200)]).toEqual(["1 character", "1,200 characters"]);
});
