import fc from "fast-check";
import { expect, test } from "vitest";
import { load } from "./load";
import { offsetAt, positionAt } from "./place";
import { schema, textOf } from "./session.fixture";
import { textMap } from "./text-map";

const PARTS = [
  "a",
  "A",
  "b",
  " ",
  "  ",
  "\n",
  "\r\n",
  "\r",
  "é",
  "e\u0301",
  "ﬁ",
  "\u00ad",
  "ß",
  "😀",
  "\u00a0",
  "<$$S>",
];
const texts = fc.array(fc.constantFrom(...PARTS), { maxLength: 200 }).map((parts) => parts.join(""));

test("property: offsets and positions convert into each other", () => {
  fc.assert(
    fc.property(fc.array(texts, { maxLength: 4 }), fc.nat(), (parts, seed) => {
      const doc = load(parts.join("\n".repeat(60)), schema);
      const text = textMap(doc);
      expect(text.text).toBe(textOf(doc));
      let at = seed % (text.text.length + 1);
      if (text.text[at] === "\n" && text.text[at - 1] === "\r") at--;
      expect(offsetAt(doc, text.positionFrom(at))).toBe(at);
      expect(offsetAt(doc, text.positionTo(at))).toBe(at);
      expect(text.offsetOf(positionAt(doc, at))).toBe(at);
    }),
  );
});
