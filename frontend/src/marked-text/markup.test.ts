import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cpuMs } from "@/test/cpu";
import { type MarkedDocument, MarkupError, NotUtf8, parse, parseBytes, print, SpanError, segments } from "./markup";
import { encode, malformedSamples, plainBytes, samples } from "./samples.fixture";
import { byteOffset, utf8Size } from "./utf8";

/** Text in which tags, and what almost is one, are likely. */
const tricky = fc
  .array(
    fc.oneof(
      fc.constantFrom("<", "$", "S", "E", ">", "<$S>", "<$E>", "<$$S>", "<$$$E>", "\r", "\n", "\r\n", "\ufeff", "\0"),
      fc.string({ unit: "grapheme", maxLength: 3 }),
    ),
  )
  .map((parts) => parts.join(""));

/** A document in any state of marking: spans that touch, empty ones, none. */
const marked: fc.Arbitrary<MarkedDocument> = fc.array(fc.tuple(tricky, fc.boolean())).map((parts) => {
  let text = "";
  const spans: { from: number; to: number }[] = [];
  for (const [part, classified] of parts) {
    if (classified) spans.push({ from: text.length, to: text.length + part.length });
    text += part;
  }
  return { text, spans };
});

describe("the samples", () => {
  test.each(samples)("$file: $about", ({ marked, content, spans }) => {
    const document = parseBytes(marked);
    expect(document.text).toBe(content);
    expect(document.spans.map(({ from, to }) => [byteOffset(content, from), byteOffset(content, to)])).toEqual(spans);
    expect(encode(print(document))).toEqual(marked);
  });

  test.each(samples)("$file: the plain stream", (sample) => {
    const plain = segments(parseBytes(sample.marked))
      .filter(({ classified }) => !classified)
      .map(({ text }) => text);
    expect(encode(plain.join(""))).toEqual(plainBytes(sample));
  });

  test.each(malformedSamples)("$file: $about", ({ marked, line, column, reason }) => {
    let error: unknown;
    try {
      parseBytes(marked);
    } catch (caught) {
      error = caught;
    }
    expect(error).toBeInstanceOf(MarkupError);
    expect(error).toMatchObject({ line, column, reason });
    expect(error instanceof NotUtf8).toBe(reason.startsWith("not UTF-8"));
  });
});

test("parse undoes print", () => {
  fc.assert(
    fc.property(marked, (document) => {
      expect(parse(print(document))).toEqual(document);
    }),
  );
});

test("print undoes parse, for every text that is well-formed", () => {
  fc.assert(
    fc.property(tricky, (text) => {
      let document: MarkedDocument;
      try {
        document = parse(text);
      } catch (error) {
        expect(error).toBeInstanceOf(MarkupError);
        return;
      }
      expect(print(document)).toBe(text);
    }),
  );
});

test("text that an author wrote is never a tag, plain or classified", () => {
  fc.assert(
    fc.property(tricky, (text) => {
      expect(parse(print({ text, spans: [] }))).toEqual({ text, spans: [] });
      const spans = [{ from: 0, to: text.length }];
      expect(parse(print({ text, spans }))).toEqual({ text, spans });
    }),
  );
});

test("spans that break a rule are refused, by number", () => {
  const refused = (text: string, ...spans: [number, number][]) =>
    expect(() => print({ text, spans: spans.map(([from, to]) => ({ from, to })) })).toThrow(SpanError);
  refused("abc", [2, 1]);
  refused("abc", [0, 2], [1, 3]);
  refused("abc", [0, 4]);
  refused("a😀b", [0, 2]);
  refused("a😀b", [2, 4]);
});

test("sizes in UTF-8", () => {
  const text = fc.string({ unit: "binary", maxLength: 3000 });
  fc.assert(
    fc.property(text, (text) => {
      expect(utf8Size(text)).toBe(encode(text).length);
    }),
  );
});

test("a long row of dollars takes no longer for it", () => {
  const text = `<${"$".repeat(300_000)}S`.repeat(3);
  const taken = cpuMs(() => expect(parse(print({ text, spans: [] })).text).toBe(text));
  expect(taken).toBeLessThan(1000);
});
