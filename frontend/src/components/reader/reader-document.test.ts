import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse } from "@/marked-text/markup";
import { find, MOST_HITS } from "./find";
import { copiedSegments, distinctSpans, openDocument, type ReaderDocument, spanFrom } from "./reader-document";
import { runsOf } from "./runs";
import { whyNotShown } from "./why-not-shown";

function opened(marked: string, gaps = false): ReaderDocument {
  const found = openDocument(marked, gaps);
  if ("fault" in found) throw new Error(found.fault);
  return found;
}

const markedTexts = fc
  .array(
    fc.tuple(fc.boolean(), fc.string({ unit: fc.constantFrom("a", "b ", "\n", "\r\n", "🚢", "word ".repeat(400)) })),
  )
  .map((parts) => parts.map(([classified, text]) => (classified ? `<$S>${text}<$E>` : text)).join(""));

describe("drawn runs", () => {
  test("is the text, and each span of it is classified", () => {
    fc.assert(
      fc.property(markedTexts, fc.constantFrom("", "a", "b a"), (marked, wanted) => {
        const document = opened(marked);
        const { hits } = find(document, wanted);
        const runs = document.blocks.flatMap((block) => runsOf(document, block, hits));
        expect(runs.flatMap(({ pieces }) => pieces.map((p) => document.shown.slice(p.from, p.to))).join("")).toBe(
          document.shown,
        );
        for (const run of runs) {
          // An empty span that a hit goes across has a piece without a character.
          for (const piece of run.pieces.filter(({ from, to }) => from < to)) {
            const span = document.spans.findIndex(({ from, to }) => from <= piece.from && piece.to <= to && from < to);
            expect(run.span).toBe(span);
          }
        }
        const drawn = new Set(
          runs.flatMap(({ span, last }) => Array.from({ length: last - span + 1 }, (_, n) => span + n)),
        );
        expect([...document.spans.keys()].every((span) => drawn.has(span))).toBe(true);
      }),
    );
  });

  test("a lone carriage return ends a line, and the text is unchanged", () => {
    const document = opened("one\rtwo\r\nthree");
    expect(document.shown).toBe("one\ntwo\r\nthree");
    expect(document.text).toBe("one\rtwo\r\nthree");
  });

  test("marks that do not fit are a sentence", () => {
    expect(openDocument("a <$E>", false)).toEqual({ fault: expect.stringContaining("line 1, column 3") });
  });
});

describe("copied text", () => {
  test("of all is the document", () => {
    fc.assert(
      fc.property(markedTexts, (marked) => {
        const document = opened(marked);
        const copied = copiedSegments(document, 0, document.text.length);
        expect(copied.map(({ text }) => text).join("")).toBe(document.text);
        for (const { text } of copied) expect(text).not.toBe("");
      }),
    );
  });

  test("keeps its classification, also of half a span", () => {
    expect(copiedSegments(opened("a<$S>bcd<$E>e"), 2, 5)).toEqual([
      { text: "cd", classified: true },
      { text: "e", classified: false },
    ]);
  });

  test("has markers for gaps inside the range only", () => {
    const document = opened("<$S><$E>ab <$S><$E> cd<$S><$E>", true);
    const copy = (from: number, to: number) =>
      copiedSegments(document, from, to)
        .map(({ text }) => text)
        .join("");
    expect(copy(0, 6)).toBe("█████ab █████ cd█████");
    expect(copy(3, 6)).toBe(" cd█████");
    expect(copy(1, 3)).toBe("b ");
  });
});

describe("finding", () => {
  test("ignores case and takes special characters literally", () => {
    expect(find(opened("A.b a.B axb"), "a.b").hits).toEqual([
      { from: 0, to: 3 },
      { from: 4, to: 7 },
    ]);
    expect(find(opened("İ i İ"), "İ").hits).toHaveLength(2);
  });

  test("never matches across a gap", () => {
    expect(find(opened("ab<$S><$E>cd abcd", true), "abcd").hits).toEqual([{ from: 5, to: 9 }]);
    expect(find(opened("ab<$S><$E>cd abcd"), "abcd").hits).toHaveLength(2);
  });

  test("stops at a limit and says so", () => {
    expect(find(opened("a".repeat(MOST_HITS)), "a").more).toBe(false);
    expect(find(opened("a".repeat(MOST_HITS + 1)), "a")).toMatchObject({ more: true });
  });
});

test("the list has each text once", () => {
  expect(distinctSpans(opened("<$S>x<$E><$S>y<$E> <$S>x<$E>"))).toEqual([
    { text: "x", count: 2, first: 0 },
    { text: "y", count: 1, first: 1 },
  ]);
});

test("the next span after a place; from the last on, the first", () => {
  const document = opened("ab<$S>c<$E>de<$S>f<$E>");
  expect(parse("ab<$S>c<$E>de<$S>f<$E>").spans.map(({ from }) => from)).toEqual([2, 5]);
  expect([0, 2, 3, 5, 6].map((offset) => spanFrom(document, offset))).toEqual([0, 0, 1, 1, 0]);
});

test("documents that are not shown, and why", () => {
  expect(whyNotShown("text/plain", 16_000_000)).toBeNull();
  expect(whyNotShown("text/plain", 16_000_001)).toMatch(/up to 16 MB/);
  expect(whyNotShown("image/png", 1)).toMatch(/Picture \(\.png\)/);
  expect(whyNotShown("image/webp", 1)).toMatch(/image\/webp/);
});
