import fc from "fast-check";
import { expect, test } from "vitest";
import { findAll } from "./find";
import { markStates } from "./mark-state";
import { parse, type TextSpan } from "./markup";

test("how much of each place is classified; white space does not count", async () => {
  const { text, spans } = parse("<$S>Ida Berg<$E>, <$S>Ida<$E> <$S>Berg<$E>, Ida <$S>Berg<$E>, Ida Berg");
  const sought = { phrase: "Ida Berg", matchCase: true, wholeWords: false };
  const places = await findAll(text, sought, new AbortController().signal);
  expect(markStates(text, () => spans, places)).toEqual(["marked", "marked", "partly", "plain"]);
});

const cuts = fc.uniqueArray(fc.nat(40), { maxLength: 12 }).map((all) => all.sort((one, other) => one - other));
const spansOf = (at: readonly number[]): TextSpan[] =>
  at.flatMap((from, index) =>
    index % 2 === 0 && at[index + 1] !== undefined ? [{ from, to: at[index + 1] ?? 0 }] : [],
  );

test("property: each place has the state that counting its characters gives, in whatever order the places are", () => {
  const place = fc.tuple(fc.nat(40), fc.nat(8)).map(([from, length]) => ({ from, to: Math.min(40, from + length) }));
  const characters = fc.array(fc.constantFrom("a", " "), { minLength: 40, maxLength: 40 }).map((all) => all.join(""));
  fc.assert(
    fc.property(characters, cuts, fc.array(place, { maxLength: 8 }), (text, at, places) => {
      const spans = spansOf(at);
      const counted = places.map(({ from, to }) => {
        const ink = [...text.slice(from, to)].flatMap((one, index) => (one === " " ? [] : [from + index]));
        const marked = ink.filter((offset) => spans.some((span) => span.from <= offset && offset < span.to));
        return marked.length === 0 ? "plain" : marked.length < ink.length ? "partly" : "marked";
      });
      const spansFrom = (offset: number) => spans.filter(({ to }) => to >= offset);
      expect(markStates(text, spansFrom, places)).toEqual(counted);
    }),
  );
});
