/** Marking and unmarking many places at once: the text stays, only what was chosen changes, and undo is exact. */
import type { Node } from "@tiptap/pm/model";
import fc from "fast-check";
import { expect, test } from "vitest";
import { findAll } from "@/marked-text/find";
import { print, type TextSpan } from "@/marked-text/markup";
import type { Sought } from "@/marked-text/phrase-search";
import { markPlaces, placeStates, placesOf, textSpans, unmarkPlaces } from "./bulk";
import { fitSpan, growSpan, shrinkSpan } from "./edges";
import { load } from "./load";
import { Session, schema, spanOfEach, textOf } from "./session.fixture";

const PARTS = ["ab", "a", "b", " ", "\n", "\r\n", "é", "😀", "Ab", "<$S>", "x"];
const texts = fc.array(fc.constantFrom(...PARTS), { minLength: 1, maxLength: 6 }).map((parts) => parts.join(""));

const documents = fc.array(fc.tuple(texts, fc.boolean()), { maxLength: 60 }).map((parts) => {
  let text = "";
  const spans: TextSpan[] = [];
  for (const [part, classified] of parts) {
    if (classified) spans.push({ from: text.length, to: text.length + part.length });
    text += part;
  }
  return load(print({ text, spans }), schema);
});

const cases = fc.record({
  doc: documents,
  phrase: fc.constantFrom("a", "ab", "b a", "x", "😀", "é a"),
  options: fc.record({ matchCase: fc.boolean(), wholeWords: fc.boolean() }),
  chosen: fc.array(fc.boolean(), { minLength: 50, maxLength: 50 }),
});

const findIn = (doc: Node, sought: Sought) => findAll(textOf(doc), sought, new AbortController().signal);

const LIMITS = { chunkLines: 3, chunkLength: 30, lineLength: 8 };

for (const [name, command, becomes] of [
  ["mark", markPlaces, "marked"],
  ["unmark", unmarkPlaces, "plain"],
] as const) {
  test(`property: ${name} all that are chosen`, async () => {
    await fc.assert(
      fc.asyncProperty(cases, async ({ doc, phrase, options, chosen }) => {
        // A change first, so that lines and chunks are cut again.
        const session = new Session(doc, LIMITS).select(0).type("z");
        const before = session.state.doc;
        const spansBefore = spanOfEach(before);
        const places = (await findIn(before, { phrase, ...options })).filter((_, index) => chosen[index % 50]);
        session.run(command(places));
        const { doc: after } = session.state;
        if (after === before) {
          expect(placeStates(before, places).every((state) => state === becomes)).toBe(true);
          return;
        }
        const text = textOf(after);
        expect(text).toBe(textOf(before));
        const spansAfter = spanOfEach(after);
        const isChosen = (at: number) => places.some(({ from, to }) => from <= at && at < to);
        spansAfter.forEach((span, at) => {
          const was = spansBefore[at] !== null;
          const white = /\s/.test(text[at] ?? "");
          if (!isChosen(at)) expect(span !== null).toBe(was);
          else if (!white) expect(span !== null).toBe(becomes === "marked");
        });
        // Each stretch of one id is one span.
        const ids = textSpans(after).map(({ id }) => id);
        expect(new Set(ids).size).toBe(ids.length);
        session.undo();
        expect(spanOfEach(session.state.doc)).toEqual(spansBefore);
        session.redo();
        expect(spanOfEach(session.state.doc)).toEqual(spansAfter);
      }),
    );
  });
}

test("property: edges are moved, and no text", () => {
  const moves = [growSpan("character"), growSpan("word"), shrinkSpan("character"), shrinkSpan("word"), fitSpan];
  fc.assert(
    fc.property(documents, fc.nat(), fc.nat(), fc.constantFrom(...moves), (doc, one, other, move) => {
      const { length } = textOf(doc);
      const session = new Session(doc).select(one % (length + 1), other % (length + 1));
      const spans = spanOfEach(session.state.doc);
      const count = textSpans(session.state.doc).length;
      session.run(move);
      const { doc: after } = session.state;
      expect(textOf(after)).toBe(textOf(doc));
      const ids = textSpans(after).map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids.length).toBeLessThanOrEqual(count);
      if (count > 0) expect(ids.length).toBeGreaterThan(0);
      if (after !== doc) expect(spanOfEach(session.undo().state.doc)).toEqual(spans);
    }),
  );
});

test("many places are one step to undo", async () => {
  const session = new Session("Heron and <$S>Her<$E>on, heron\nHERON");
  const places = await findIn(session.state.doc, { phrase: "heron", matchCase: false, wholeWords: true });
  let told: number | null = null;
  markPlaces(places)(session.state, (tr) => {
    expect(tr.steps).toHaveLength(1);
    told = placesOf(tr);
    session.apply(tr);
  });
  expect(told).toBe(4);
  expect(session.marked).toBe("<$S>Heron<$E> and <$S>Heron<$E>, <$S>heron<$E>\n<$S>HERON<$E>");
  expect(markPlaces(places)(session.state)).toBe(false);
  session.run(unmarkPlaces(places.slice(1, 3)));
  expect(session.marked).toBe("<$S>Heron<$E> and Heron, heron\n<$S>HERON<$E>");
  expect(session.undo().undo().marked).toBe("Heron and <$S>Her<$E>on, heron\nHERON");
});

test("what unmarking leaves of a span is as many spans", async () => {
  const session = new Session("<$S>a b a b a<$E><$S>b<$E>");
  session.run(unmarkPlaces(await findIn(session.state.doc, { phrase: "b", matchCase: true, wholeWords: false })));
  expect(session.marked).toBe("<$S>a <$E>b<$S> a <$E>b<$S> a<$E>b");
});
