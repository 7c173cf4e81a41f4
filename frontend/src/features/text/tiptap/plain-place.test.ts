import fc from "fast-check";
import { expect, test } from "vitest";
import { load } from "./engine/load";
import { positionAt } from "./engine/place";
import { plainText } from "./engine/serialise";
import { schema } from "./engine/session.fixture";
import { blocksOf, NO_BLOCKS } from "./plain-blocks";
import { blockAt, heldAt, plainOffset } from "./plain-place";

const placeOf = (marked: string, offset: number) => {
  const doc = load(marked, schema);
  return plainText(doc).slice(plainOffset(doc, positionAt(doc, offset)));
};

test("a place of the text is the place in the plain stream before what follows it in the clear", () => {
  expect(placeOf("one <$S>two<$E> three", 0)).toBe("one  three");
  expect(placeOf("one <$S>two<$E> three", 4)).toBe(" three");
  expect(placeOf("one <$S>two<$E> three", 6)).toBe(" three");
  expect(placeOf("one <$S>two<$E> three", 8)).toBe("three");
  expect(placeOf("one\n<$S>two\n<$E>three", 8)).toBe("three");
  expect(placeOf("\r\none\rtwo", 6)).toBe("two");
  expect(placeOf("<$S>all<$E>", 2)).toBe("");
});

test("so it is in documents of many chunks: as many plain characters come before", () => {
  const part = fc.record({
    // No part ends where the next one may make another line end of its end.
    text: fc.constantFrom("a", "line\n", "l\r\n".repeat(70), "\n\ra", "word ".repeat(400), "\u{1f600}"),
    classified: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(part, { maxLength: 14 }), fc.nat(), (parts, seed) => {
      const doc = load(parts.map(({ text, classified }) => (classified ? `<$S>${text}<$E>` : text)).join(""), schema);
      let before = 0;
      let plainBefore = 0;
      const most = parts.length === 0 ? 0 : seed % parts.length;
      for (const { text, classified } of parts.slice(0, most)) {
        before += text.length;
        if (!classified) plainBefore += text.length;
      }
      expect(plainOffset(doc, positionAt(doc, before))).toBe(plainBefore);
      expect(plainOffset(doc, doc.content.size - 2)).toBe(plainText(doc).length);
    }),
    { numRuns: 60 },
  );
});

test("a character is in one block; past the end there is the end", () => {
  const text = Array.from({ length: 500 }, (_, index) => `line ${index}\n`).join("");
  const { blocks } = blocksOf(text, NO_BLOCKS);
  for (const at of [0, 1, 700, 1_499, 2_500, text.length - 1]) {
    const { index, inside } = blockAt(blocks, at);
    expect(blocks[index]?.text.charAt(inside)).toBe(text.charAt(at));
    const before = blocks.slice(0, index).reduce((sum, block) => sum + block.text.length, 0);
    expect(before + inside).toBe(at);
  }
  const last = blocks.length - 1;
  expect(blockAt(blocks, text.length + 9)).toEqual({ index: last, inside: blocks[last]?.text.length });
  expect(blockAt([], 3)).toEqual({ index: 0, inside: 0 });
});

test("the tops are held beside each other, and at the end of the page the bottoms", () => {
  expect(heldAt(0, 5_000, 800)).toBe(0);
  expect(heldAt(4_200, 5_000, 800)).toBe(0);
  expect(heldAt(4_600, 5_000, 800)).toBe(0.5);
  expect(heldAt(5_000, 5_000, 800)).toBe(1);
  // What cannot be scrolled, or is not, holds still.
  expect(heldAt(0, 100, 800)).toBe(0);
  expect(heldAt(0, 0, 800)).toBe(0);
});
