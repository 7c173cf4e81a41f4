import fc from "fast-check";
import { expect, test } from "vitest";
import { markPlaces } from "./bulk";
import { leaks, MOST_COMPARED } from "./leaks";
import { load } from "./load";
import { print, type TextSpan } from "./markup";
import { phraseFinder } from "./phrase-finder";
import { Session, schema, textOf } from "./session.fixture";

function found(marked: string): Record<string, string[]> {
  const doc = load(marked, schema);
  const text = textOf(doc);
  return Object.fromEntries(
    leaks(doc).map(({ written, places }) => [written, places.map(({ from, to }) => text.slice(from, to))]),
  );
}

test("marked here, unmarked there", () => {
  expect(found("<$S>Heron<$E> sails. HERON? Herons, <$S>heron<$E>.")).toEqual({ Heron: ["HERON", "Heron"] });
  expect(found("<$S>Ida  Berg,<$E> and Ida\nBerg; ida.")).toEqual({ "Ida Berg": ["Ida\nBerg"] });
  expect(found("<$S>(Café)<$E> cafe\u0301 CAFÉ")).toEqual({ Café: ["cafe\u0301", "CAFÉ"] });
  expect(found("<$S>Heron<$E> He\u00adron")).toEqual({ Heron: ["He\u00adron"] });
  expect(found("nothing is marked")).toEqual({});
});

test("how often it is marked, and what says that it is the same", () => {
  const [leak] = leaks(load("<$S>Heron<$E> <$S>HERON<$E> heron", schema));
  expect(leak).toMatchObject({ phrase: "heron", written: "Heron", marked: 2 });
});

test("what is very short counts as a whole word only", () => {
  expect(found("<$S>7<$E> 17 7. 7a <$S>Bo<$E> Bob bo")).toEqual({ "7": ["7"], Bo: ["bo"] });
  expect(found("<$S>...<$E> ... <$S> <$E> .")).toEqual({});
});

test("what is marked in part is not marked", () => {
  expect(found("<$S>Ida Berg<$E> <$S>Ida<$E> Berg <$S>Ida<$E> <$S>Berg<$E>")).toEqual({ "Ida Berg": ["Ida Berg"] });
});

test("a place within another one counts with that alone", () => {
  expect(found("<$S>Berg<$E> <$S>Ida Berg<$E> Ida Berg, Berg")).toEqual({ Berg: ["Berg"], "Ida Berg": ["Ida Berg"] });
  expect(found("<$S>b c<$E> <$S>a b<$E> a b c")).toEqual({ "a b": ["a b"], "b c": ["b c"] });
});

test("a long passage is the same for as far as it is", () => {
  const passage = "All of this is secret. ".repeat(30).trim();
  const most = passage.slice(0, 300);
  expect(found(`<$S>${passage}<$E>\n\n${passage}\n\n${most}XYZ\n\n${passage.slice(0, MOST_COMPARED - 30)}`)).toEqual({
    [`${passage.slice(0, 80)}…`]: [passage.slice(0, -1), most],
  });
});

test("long passages of one letter take no time to speak of", () => {
  const letters = "a".repeat(300_000);
  expect(leaks(load(`<$S>${letters}<$E>${"b".repeat(10)}${letters}`, schema))).toHaveLength(1);
});

const WORDS = ["ab", "abc", "b", "c", "A B", " ", "\n", "x", "ß", "ss"];
const documents = fc.array(fc.tuple(fc.constantFrom(...WORDS), fc.boolean()), { maxLength: 40 }).map((parts) => {
  let text = "";
  const spans: TextSpan[] = [];
  for (const [part, classified] of parts) {
    if (classified) spans.push({ from: text.length, to: text.length + part.length });
    text += part;
  }
  return load(print({ text, spans }), schema);
});

test("property: marking what is found, until nothing is, ends; and then nothing is left", () => {
  fc.assert(
    fc.property(documents, (doc) => {
      const session = new Session(doc);
      const text = textOf(doc);
      for (let rounds = 0; ; rounds++) {
        const open = leaks(session.state.doc);
        if (open.length === 0) break;
        expect(rounds).toBeLessThan(100);
        const places = open.flatMap((leak) => leak.places).sort((one, other) => one.from - other.from);
        session.run(markPlaces(places));
      }
      expect(textOf(session.state.doc)).toBe(text);
    }),
  );
});

test("property: many phrases at once are found where each of them is", () => {
  const letters = fc.array(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 5 }).map((all) => all.join(""));
  fc.assert(
    fc.property(
      fc.uniqueArray(letters, { maxLength: 12 }),
      fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 60 }),
      (phrases, units) => {
        const text = units.join("");
        const all: string[] = [];
        // To say no to each is to hear of all.
        phraseFinder(phrases).find(text, (phrase, from, to) => {
          expect(text.slice(from, to)).toBe(phrases[phrase]);
          all.push(`${from} ${to}`);
          return false;
        });
        const naive = phrases.flatMap((phrase) =>
          [...text].flatMap((_, at) => (text.startsWith(phrase, at) ? [`${at} ${at + phrase.length}`] : [])),
        );
        expect(all.sort()).toEqual(naive.sort());
      },
    ),
  );
});
