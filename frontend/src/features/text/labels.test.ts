// @vitest-environment jsdom
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Labelled, labelsAt } from "./labels";
import { LongTextEditor } from "./long/engine/editor";
import { longSurface } from "./long/long-surface";

const RANKS = ["LOW", "HIGH"];
const rank = (label: string | null) => RANKS.indexOf(label ?? "LOW");
const here = { moved: (place: { from: number; to: number }) => place };

test("a label is for each span that reaches into its place; of several labels the highest wins", () => {
  const spans = [
    { from: 0, to: 3 },
    { from: 5, to: 8 },
    { from: 8, to: 9 },
    { from: 13, to: 17 },
  ];
  const place = fc
    .record({ from: fc.nat(16), length: fc.integer({ min: 1, max: 6 }), label: fc.constantFrom(...RANKS) })
    .map(({ from, length, label }) => ({ place: { from, to: Math.min(17, from + length) }, label }));
  fc.assert(
    fc.property(fc.array(place, { maxLength: 4 }), (unsorted) => {
      const places = unsorted.sort((one, other) => one.place.from - other.place.from);
      const naive = spans.flatMap((span, number) => {
        const over = places.filter((one) => one.place.from < span.to && one.place.to > span.from);
        const ranks = over.map(({ label }) => RANKS.indexOf(label));
        return over.length ? [[number, RANKS[Math.max(...ranks)]]] : [];
      });
      expect([...labelsAt(spans, places as Labelled[], here, rank)]).toEqual(naive);
    }),
    { numRuns: 100 },
  );
});

test("chosen places move with the text while the author types", () => {
  Range.prototype.getClientRects = () => [] as unknown as DOMRectList;
  const editor = new LongTextEditor("one <$S>two<$E> <$S>three<$E>", "Text");
  const surface = longSurface(editor);
  const look = surface.track();
  editor.replace("new one <$S>two<$E> <$S>three<$E>");
  expect([...labelsAt(surface.spans().inOrder(), [{ place: { from: 8, to: 13 }, label: null }], look, rank)]).toEqual([
    [1, null],
  ]);
  look.end();
});
