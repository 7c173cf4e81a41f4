// @vitest-environment jsdom
/** Which spans of a long text a label is for. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { LongTextEditor } from "./engine/editor";
import { type Labelled, labelsAt } from "./labels";
import { LongTextTracker } from "./long-text-tracker";

const RANKS = ["LOW", "HIGH"];
const rank = (label: string | null) => RANKS.indexOf(label ?? "LOW");
const here = { moved: (place: { from: number; to: number }) => place };

function opened(marked: string): LongTextEditor {
  Range.prototype.getClientRects = () => [] as unknown as DOMRectList;
  return new LongTextEditor(marked, "Text");
}

test("whatever reaches into a place; of several labels the highest", () => {
  const editor = opened("<$S>aaa<$E>..<$S>bbb<$E><$S>c<$E>....<$S>dddd<$E>");
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
      expect([...labelsAt(editor, places as Labelled[], here, rank)]).toEqual(naive);
    }),
    { numRuns: 100 },
  );
});

test("places that were chosen are followed while somebody writes", () => {
  const editor = opened("one <$S>two<$E> <$S>three<$E>");
  const look = new LongTextTracker(editor);
  editor.replace("new one <$S>two<$E> <$S>three<$E>");
  expect([...labelsAt(editor, [{ place: { from: 8, to: 13 }, label: null }], look, rank)]).toEqual([[1, null]]);
  look.end();
});
