import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Block, cut, drawnLines, lastWhere, partStarts } from "./blocks";

const texts = (text: string) => cut(text).map(({ from, to }) => text.slice(from, to));

describe("cutting", () => {
  test("blocks are the text, in order and without gaps, and no block is empty", () => {
    const lines = fc.array(fc.string({ unit: fc.constantFrom("a", " ", "é", "🚢", "\n", "\n\n"), maxLength: 400 }));
    fc.assert(
      fc.property(lines, (some) => {
        const text = some.join("");
        expect(texts(text).join("")).toBe(text);
        if (text !== "") expect(texts(text)).not.toContain("");
      }),
    );
  });

  test("an empty text is one empty block", () => {
    expect(cut("")).toEqual([{ from: 0, to: 0, line: 1, lines: 1, continues: false }]);
  });

  test("a block ends where a line does, and knows its line", () => {
    const text = "word ".repeat(100).concat("\n").repeat(10);
    const blocks = cut(text);
    expect(blocks.length).toBeGreaterThan(2);
    for (const { from, line } of blocks) {
      expect(from === 0 || text[from - 1] === "\n").toBe(true);
      expect(line).toBe(text.slice(0, from).split("\n").length);
    }
  });

  test("a line of a megabyte is cut between words, and each piece but the first continues it", () => {
    const text = `first\n${"word ".repeat(200_000)}\nlast`;
    const blocks = cut(text);
    const pieces = blocks.filter(({ line }) => line === 2);
    expect(pieces.map(({ continues }) => continues)).toEqual(pieces.map((_, index) => index > 0));
    for (const { from, to } of pieces) expect(to - from).toBeLessThanOrEqual(8_192);
    for (const { from } of pieces.slice(1)) expect(text[from - 1]).toBe(" ");
    expect(blocks.at(-1)).toMatchObject({ line: 3, continues: false });
  });

  test("no character is cut, though there are no spaces", () => {
    const text = "🚢".repeat(10_000);
    for (const piece of texts(text)) expect(piece).not.toMatch(/\p{Surrogate}/u);
  });
});

describe("parts", () => {
  const block = (lines: number): Block => ({ from: 0, to: lines, line: 1, lines, continues: false });

  test("a text of few lines is one part", () => {
    expect(partStarts([block(10), block(10)], 100)).toEqual([0]);
  });

  test("no part has more lines than may be, unless one block has", () => {
    expect(partStarts([60, 40, 30, 200, 5].map(block), 120)).toEqual([0, 2, 3, 4]);
  });

  test("a paragraph takes as many lines as it is long", () => {
    expect(drawnLines({ from: 0, to: 800, line: 1, lines: 1, continues: false }, 80)).toBe(11);
  });
});

test("the last place before", () => {
  expect(lastWhere([1, 3, 5], (n) => n < 4)).toBe(1);
  expect(lastWhere([1, 3, 5], (n) => n < 0)).toBe(0);
  expect(lastWhere([1, 3, 5], () => true)).toBe(2);
});
