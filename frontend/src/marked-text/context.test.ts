import { expect, test } from "vitest";
import { contextOf } from "./context";

test("the text around a place, on one line", () => {
  const text = "The harbour\npilot is Ida Berg,\r\nsince May.";
  const from = text.indexOf("Ida");
  expect(contextOf(text, { from, to: from + 3 })).toEqual({
    before: "The harbour pilot is ",
    hit: "Ida",
    after: " Berg, since May.",
  });
});
