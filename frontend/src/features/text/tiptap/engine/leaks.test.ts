import fc from "fast-check";
import { expect, test } from "vitest";
import { print, type TextSpan } from "@/marked-text/markup";
import { markPlaces } from "./bulk";
import { leaks, leaksOf, MOST_COMPARED } from "./leaks";
import { load } from "./load";
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
  expect(found("<$S>Heron<$E> sails. HERON? Herons, <$S>heron<$E>.")).toEqual({ Heron: ["HERON", "Herons"] });
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

test("within a longer word, all of the word is the place", () => {
  expect(found("<$S>Caisson<$E> Caissons, subcaisson_2.")).toEqual({ Caisson: ["Caissons", "subcaisson_2"] });
  expect(found("<$S>heron<$E> HeronHeron <$S>Heron<$E>s")).toEqual({ heron: ["HeronHeron"] });
  expect(found("<$S>ring sh<$E> <$S>herr<$E> Herring ship")).toEqual({ "ring sh": ["Herring ship"] });
  expect(found("<$S>caf<$E> cafe\u0301s")).toEqual({ caf: ["cafe\u0301s"] });
  expect(found("<$S>東京<$E> 東京都に")).toEqual({ 東京: ["東京"] });
});

test("a word of a marked name, alone and with its capital", () => {
  const doc = load("<$S>Ida Heron<$E>, Heron, HERON, heron, Herons, Ida; Ida Heron.", schema);
  expect(leaks(doc).map(({ written, isPart, places }) => [written, isPart, places.length])).toEqual([
    ["Heron", true, 2],
    ["Ida", true, 1],
    ["Ida Heron", false, 1],
  ]);
  expect(found("<$S>Dr. Anna-Lena Berg<$E> Dr. Berg and Anna-Lena, Lena")).toEqual({
    Berg: ["Berg"],
    "Anna-Lena": ["Anna-Lena"],
  });
  expect(found("<$S>Émile Ødegård<$E> Émile, Ødegård, émile")).toEqual({ Émile: ["Émile"], Ødegård: ["Ødegård"] });
});

test("what is no name, and what is common, has no parts", () => {
  expect(found("<$S>the Heron<$E> <$S>Heron sails<$E> <$S>Ida Maria Berg Heron<$E> Heron Ida")).toEqual({});
  expect(found("<$S>North May<$E> <$S>The Bo Heron<$E> North, May, The, Bo, Heron")).toEqual({ Heron: ["Heron"] });
});

test("a part that is marked itself is a phrase", () => {
  expect(found("<$S>Ida Heron<$E> <$S>heron<$E> herons")).toEqual({ heron: ["herons"] });
});

test("what a selection would leave plain is what the guard finds once it is marked", () => {
  const text = "Caisson, caissons, CAISSON; Caisson Quay";
  const doc = load(text, schema);
  const others = leaksOf(doc, { from: 0, to: 7 });
  expect(others.map(({ from, to }) => text.slice(from, to))).toEqual(["caissons", "CAISSON", "Caisson"]);
  expect(leaks(load(text.replace("Caisson", "<$S>Caisson<$E>"), schema))[0]?.places).toEqual(others);
  expect(leaksOf(doc, { from: 9, to: 13 }).map(({ from, to }) => text.slice(from, to))).toEqual([
    "Caisson",
    "CAISSON",
    "Caisson",
  ]);
  expect(leaksOf(doc, { from: 7, to: 9 })).toEqual([]);
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
    [`${passage.slice(0, 80)}…`]: [passage.slice(0, -1), `${most}XYZ`],
  });
});

test("long passages of one letter take no time to speak of", () => {
  const letters = "a".repeat(300_000);
  expect(leaks(load(`<$S>${letters}<$E>${"b".repeat(10)}${letters}`, schema))).toHaveLength(1);
});

test("many places within one word take no time to speak of", () => {
  const doc = load(`<$S>abc<$E> <$S>cab<$E> ${"abc".repeat(200_000)}`, schema);
  expect(leaks(doc)).toMatchObject([{ written: "abc", places: [{ from: 8, to: 600_008 }] }]);
});

test("many marked names take no time to speak of", () => {
  const names = Array.from({ length: 5000 }, (_, n) => `Ida${"abcdefghij"[n % 10]} Heron${n}`);
  const doc = load(names.map((name) => `<$S>${name}<$E> ${name.split(" ")[1]}\n`).join(""), schema);
  expect(leaks(doc)).toHaveLength(5000);
});

const WORDS = ["Abc Xyz", "Xyz", "ab", "abc", "b", "c", "A B", " ", "\n", "x", "ß", "ss"];
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
