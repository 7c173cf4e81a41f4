import { expect, test } from "vitest";
import { load } from "./load";
import { offsetAt, placeAt, positionAt, spanIdAt, wholeText } from "./place";
import { textBounds } from "./runs";
import { documentSchema } from "./schema/schema";

const schema = documentSchema();
const long = "x".repeat(40_000);

test.each([
  ["", 0, 1, 1],
  ["ab\ncd", 5, 2, 3],
  ["ab\r\ncd\r\n", 8, 3, 1],
  ["a<$S>b\nc<$E>d", 4, 2, 2],
  ["\u{1f600}\u{1f600}x", 4, 1, 3],
  [`a\n${long}\nb`, 40_002, 2, 40_001],
  [`a\n${long}\nb`, 40_004, 3, 2],
  [Array(200).fill("line").join("\n"), 5 * 150 + 2, 151, 3],
])("%j at %i is line %i, column %i", (marked, offset, line, column) => {
  const doc = load(marked, schema);
  const pos = positionAt(doc, offset);
  expect(placeAt(doc, pos)).toEqual({ line, column });
});

test("offsets and positions are each other's inverse", () => {
  for (const marked of ["", "\n", "ab\r\n<$S>cd\n<$E>\n\nef", Array(120).fill("l<$S>i<$E>n").join("\r\n")]) {
    const doc = load(marked, schema);
    const text = wholeText(doc);
    for (let offset = 0; offset <= text.length; offset++) {
      // Between CR and LF there is no position.
      if (text[offset - 1] === "\r" && text[offset] === "\n") continue;
      expect(offsetAt(doc, positionAt(doc, offset))).toBe(offset);
    }
    expect(positionAt(doc, text.length + 5)).toBe(textBounds(doc).to);
  }
});

test("the span at a position", () => {
  const doc = load("a<$S>bc<$E>d", schema);
  expect([0, 1, 2, 3, 4].map((offset) => spanIdAt(doc, positionAt(doc, offset)))).toEqual([null, 1, 1, 1, null]);
});
