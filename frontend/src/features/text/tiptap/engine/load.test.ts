import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LoadError, MOST_SHORT_BYTES } from "@/marked-text/limits";
import { MarkupError, parseBytes, print } from "@/marked-text/markup";
import { encode, plainBytes, samples } from "@/marked-text/samples.fixture";
import { cpuMs } from "@/test/cpu";
import { CHUNK_LINES, LINE_LENGTH } from "./build";
import { load, whyNotShort } from "./load";
import { counts, plainText, serialise } from "./serialise";
import { schema, textOf } from "./session.fixture";

const held = samples.filter(({ file }) => !["nul.txt", "empty-spans.txt", "only-an-empty-span.txt"].includes(file));

describe("the samples", () => {
  test.each(held)("$file comes back to the byte", (sample) => {
    const document = parseBytes(sample.marked);
    const marked = print(document);
    expect(whyNotShort(marked)).toBe(null);
    const doc = load(marked, schema);
    doc.check();
    expect(encode(serialise(doc))).toEqual(sample.marked);
    expect(textOf(doc)).toBe(sample.content);
    expect(encode(plainText(doc))).toEqual(plainBytes(sample));
    const plain = plainBytes(sample).length;
    const whole = encode(sample.content).length;
    expect(counts(doc)).toMatchObject({ documentBytes: whole, plainBytes: plain, classifiedBytes: whole - plain });
  });

  test.each([
    ["nul.txt", "The document contains NUL characters, which the editor would lose."],
    ["empty-spans.txt", "Classified span 1 of 6 is empty, and the editor would lose it."],
    ["only-an-empty-span.txt", "Classified span 1 of 1 is empty, and the editor would lose it."],
  ])("%s cannot be held", (file, why) => {
    const sample = samples.find((one) => one.file === file);
    const marked = print(parseBytes(sample?.marked ?? new Uint8Array()));
    expect(whyNotShort(marked)).toBe(why);
    expect(() => load(marked, schema)).toThrow(LoadError);
  });
});

/** Texts of lines that end in every way, classified by pieces that are not empty. */
const marked = fc
  .array(
    fc.tuple(
      fc
        .array(
          fc.constantFrom("a", "bc", "\n", "\r", "\r\n", " ", "e\u0301", "😀", "\u2028", "\ufeff", "<$S>", "<", "$E>"),
          {
            minLength: 1,
            maxLength: 4,
          },
        )
        .map((parts) => parts.join("")),
      fc.boolean(),
    ),
  )
  .map((parts) => {
    let text = "";
    const spans: { from: number; to: number }[] = [];
    for (const [part, classified] of parts) {
      if (classified) spans.push({ from: text.length, to: text.length + part.length });
      text += part;
    }
    return print({ text, spans });
  });

test("every text comes back as it was", () => {
  fc.assert(
    fc.property(marked, (marked) => {
      const doc = load(marked, schema);
      doc.check();
      expect(serialise(doc)).toBe(marked);
    }),
    { numRuns: 500 },
  );
});

test("lines and chunks of long documents", () => {
  const lines = load("some line of text\n".repeat(1000), schema);
  expect(lines.childCount).toBe(Math.ceil(1001 / CHUNK_LINES));

  const long = `${"word ".repeat(10_000)}<$S>${"x".repeat(3 * LINE_LENGTH)}<$E>${"😀".repeat(LINE_LENGTH)}`;
  const doc = load(long, schema);
  expect(serialise(doc)).toBe(long);
  doc.descendants((node, _, parent) => {
    expect(node.isText ? 0 : node.type.name === "line" ? node.content.size : 0).toBeLessThanOrEqual(LINE_LENGTH);
    if (parent?.type.name === "line") expect(/\p{Surrogate}/u.test(node.text ?? "")).toBe(false);
  });
});

test("what cannot be held says so, and is never an empty document", () => {
  expect(whyNotShort("x".repeat(MOST_SHORT_BYTES))).toBe(null);
  expect(whyNotShort("é".repeat(MOST_SHORT_BYTES / 2 + 1))).toBe(
    "The document has 2.01 MB. This editor can open up to 2 MB.",
  );
  expect(whyNotShort("a \ud800 b")).not.toBe(null);
  expect(whyNotShort("a <$S>b")).toBe(
    "The tags do not match: line 1, column 3: <$S> opens a span that never ends; remove it or add a <$E> after it.",
  );
  expect(() => load("a <$S>b", schema)).toThrow(MarkupError);
});

test("a megabyte loads and serialises at once", () => {
  const line = "Lorem ipsum dolor sit amet, <$S>consectetur<$E> adipiscing elit, sed do eiusmod.\n";
  const text = line.repeat(Math.ceil(1_000_000 / line.length));
  const doc = load(text, schema);
  expect(cpuMs(() => load(text, schema))).toBeLessThan(5000);
  expect(cpuMs(() => expect(serialise(doc)).toBe(text))).toBeLessThan(5000);
});
