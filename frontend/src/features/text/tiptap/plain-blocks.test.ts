import fc from "fast-check";
import { expect, test } from "vitest";
import { blocksOf, NO_BLOCKS } from "./plain-blocks";

const text = fc
  .array(fc.constantFrom("a", "bc ", "\n", "\r\n", "\r", "\u{1f600}", "x".repeat(900), "y".repeat(9_000)), {
    maxLength: 30,
  })
  .map((parts) => parts.join(""));

test("the blocks are the text, whatever it was before, and lines are cut only where they are long", () => {
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 6 }), (texts) => {
      let shown = NO_BLOCKS;
      for (const next of texts) {
        shown = blocksOf(next, shown);
        expect(shown.blocks.map((block) => block.text).join("")).toBe(next);
        expect(new Set(shown.blocks.map(({ key }) => key)).size).toBe(shown.blocks.length);
        shown.blocks.forEach((block, index) => {
          const before = shown.blocks[index - 1];
          if (before) expect(block.continues).toBe(!/[\r\n]$/.test(before.text));
          expect(before?.text.endsWith("\r") && block.text.startsWith("\n")).not.toBe(true);
        });
      }
    }),
  );
});

test("what did not change stays the same object", () => {
  const lines = Array.from({ length: 2_000 }, (_, index) => `line ${index}\n`);
  const before = blocksOf(lines.join(""), NO_BLOCKS);
  lines[1_000] = "another\nline\n";
  const after = blocksOf(lines.join(""), before);
  const same = after.blocks.filter((block) => before.blocks.includes(block)).length;
  expect(before.blocks.length).toBeGreaterThan(10);
  expect(after.blocks.length - same).toBeLessThan(3);
  expect(blocksOf(after.text, after)).toBe(after);
});
