// @vitest-environment jsdom
/** However a long text is cut into pieces, it is printed as the whole would be. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { type MarkedDocument, print } from "@/marked-text/markup";
import "@/test/readable-blobs";
import { type Snapshot, snapshotOf } from "./snapshot";
import { filledWith, stateOf } from "./spans";

const text = fc
  .array(fc.constantFrom("<", "$", "S", "E", ">", "a", "\n", "\r", "é", "😀", "<$S>", "<$$E>"), { maxLength: 40 })
  .map((all) => all.join(""));
/** Texts with spans that cut whatever they like, but no character. */
const documents = fc.array(fc.record({ text, classified: fc.boolean() }), { maxLength: 8 }).map((parts) => {
  const whole = parts.map((part) => part.text).join("");
  let at = 0;
  const spans = parts.flatMap(({ text: { length }, classified }) => {
    at += length;
    return classified && length > 0 ? [{ from: at - length, to: at }] : [];
  });
  return { text: whole, spans };
});
const snapshot = (document: MarkedDocument): Snapshot => snapshotOf(stateOf(document, []));

test("pieces of any size are the marked text, and cut no character", async () => {
  await fc.assert(
    fc.asyncProperty(documents, fc.integer({ min: 1, max: 12 }), async (document, size) => {
      const marked = print(document);
      const pieces = [...snapshot(document).pieces(size)];
      expect(pieces.join("")).toBe(marked);
      expect(await new Blob(pieces).text()).toBe(marked);
      expect(await (await snapshot(document).blob()).text()).toBe(marked);
    }),
    { numRuns: 100 },
  );
});

test("two are the same if text and spans are", () => {
  fc.assert(
    fc.property(documents, documents, (one, other) => {
      expect(snapshot(one).equals(snapshot(one))).toBe(true);
      expect(snapshot(one).equals(snapshot(other))).toBe(print(one) === print(other));
    }),
    { numRuns: 100 },
  );
  const [empty, full] = [stateOf({ text: "", spans: [] }, []), { text: "one two", spans: [{ from: 0, to: 3 }] }];
  expect(snapshotOf(empty.update(filledWith(empty, full)).state).equals(snapshot(full))).toBe(true);
});
