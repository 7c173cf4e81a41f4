import fc from "fast-check";
import { expect, test } from "vitest";
import { comparedText } from "./compared-text";
import { load } from "./load";
import { contextOf, type FindOptions, occurrences, standings } from "./occurrences";
import { offsetAt, positionAt } from "./place";
import { schema, textOf } from "./session.fixture";

const ANY: FindOptions = { matchCase: false, wholeWords: false };

function found(marked: string, phrase: string, options: Partial<FindOptions> = {}): string[] {
  const doc = load(marked, schema);
  return occurrences(doc, phrase, { ...ANY, ...options }).map(({ from, to }) => textOf(doc).slice(from, to));
}

test("in any case, or in just this one", () => {
  expect(found("Heron, HERON, heron", "heron")).toEqual(["Heron", "HERON", "heron"]);
  expect(found("Heron, HERON, heron", "heron", { matchCase: true })).toEqual(["heron"]);
  expect(found("Straße STRASSE Strasse", "straße")).toEqual(["Straße", "STRASSE", "Strasse"]);
  expect(found("ΟΔΟΣ οδός", "οδος")).toEqual(["ΟΔΟΣ"]);
});

test("whole words, of any script", () => {
  const whole = { wholeWords: true };
  expect(found("Reed, Reeds, (reed) reed_1 Öreed", "reed", whole)).toEqual(["Reed", "reed"]);
  expect(found("юг югом юг.", "юг", whole)).toEqual(["юг", "юг"]);
  expect(found("x-ray box-ray", "x-ray", whole)).toEqual(["x-ray"]);
  expect(found("他住在北京。", "北京", whole)).toEqual(["北京"]);
  expect(found("a𝒜 a", "a", whole)).toEqual(["a"]);
});

test("across white space, lines and spans", () => {
  const marked = "Ida  Berg, Ida\r\n\tBerg, <$S>Ida<$E> Berg,\u00a0Ida\u2003Berg, IdaBerg";
  expect(found(marked, " ida berg ")).toEqual(["Ida  Berg", "Ida\r\n\tBerg", "Ida Berg", "Ida\u2003Berg"]);
  expect(found(marked, "Ida\nBerg", { matchCase: true })).toHaveLength(4);
  expect(found(`${"x\n".repeat(49)}Ida\nBerg`, "ida berg")).toEqual(["Ida\nBerg"]);
  expect(found(`${"x\n".repeat(48)}Ida \n\nBerg`, "ida berg")).toEqual(["Ida \n\nBerg"]);
});

test("whatever form the characters have, if the case does not matter", () => {
  expect(found("cafe\u0301, café, CAFÉ", "Cafe\u0301")).toEqual(["cafe\u0301", "café", "CAFÉ"]);
  expect(found("ﬁsh Ｆish", "fish")).toEqual(["ﬁsh", "Ｆish"]);
  expect(found("Hal\u00advor\u200bsen.", "halvorsen")).toEqual(["Hal\u00advor\u200bsen"]);
  expect(found("\u00adHeron\u00ad", "heron")).toEqual(["Heron"]);
});

test("no character is cut", () => {
  expect(found("e\u0301e", "e", { matchCase: true })).toEqual(["e"]);
  expect(found("👩‍🚀 👩", "👩")).toEqual(["👩"]);
  expect(found("🇩🇪", "🇩", { matchCase: true })).toEqual([]);
});

test("none overlaps another, and white space alone is nothing", () => {
  expect(found("aaaaa", "aa")).toHaveLength(2);
  expect(found("abababab ab", "abab", { wholeWords: true })).toEqual([]);
  expect(found("a b", "  ")).toEqual([]);
  expect(found("", "a")).toEqual([]);
});

test("how much of each place is classified", () => {
  const doc = load("<$S>Ida Berg<$E>, <$S>Ida<$E> <$S>Berg<$E>, Ida <$S>Berg<$E>, Ida Berg", schema);
  expect(standings(doc, occurrences(doc, "Ida Berg", ANY))).toEqual(["marked", "marked", "partly", "plain"]);
});

test("what stands around a place", () => {
  const doc = load("The harbour\npilot is Ida Berg,\r\nsince May.", schema);
  const text = comparedText(doc, "folded");
  const [place] = occurrences(doc, "ida", ANY);
  expect(place && contextOf(text, place)).toEqual({
    before: "The harbour pilot is ",
    hit: "Ida",
    after: " Berg, since May.",
  });
});

const PARTS = [
  "a",
  "A",
  "b",
  " ",
  "  ",
  "\n",
  "\r\n",
  "\r",
  "é",
  "e\u0301",
  "ﬁ",
  "\u00ad",
  "ß",
  "😀",
  "\u00a0",
  "<$$S>",
];
const texts = fc.array(fc.constantFrom(...PARTS), { maxLength: 200 }).map((parts) => parts.join(""));

test("property: what the naive search finds in what is short, and nothing else", () => {
  fc.assert(
    fc.property(
      texts,
      fc.constantFrom("a", "a b", "ab", "aa", "b é", "fi", "ss"),
      fc.boolean(),
      (text, phrase, matchCase) => {
        const doc = load(text, schema);
        const wholeText = textOf(doc);
        const places = occurrences(doc, phrase, { matchCase, wholeWords: false });
        let reached = 0;
        for (const { from, to } of places) {
          expect(from).toBeGreaterThanOrEqual(reached);
          reached = to;
          const again = occurrences(load(wholeText.slice(from, to).replaceAll("<$S>", "<$$S>"), schema), phrase, {
            matchCase,
            wholeWords: false,
          });
          expect(again).toEqual([{ from: 0, to: to - from }]);
        }
        if (matchCase && !phrase.includes("é")) {
          const naive = new RegExp(`${phrase.replace(" ", "\\s+")}(?!\\p{M})`, "gu");
          expect(places.map(({ from }) => from)).toEqual([...wholeText.matchAll(naive)].map(({ index }) => index));
        }
      },
    ),
  );
});

test("property: offsets and positions are two ways to say the same", () => {
  fc.assert(
    fc.property(fc.array(texts, { maxLength: 4 }), fc.nat(), (parts, seed) => {
      const doc = load(parts.join("\n".repeat(60)), schema);
      const text = comparedText(doc, "exact");
      expect(text.text).toBe(textOf(doc));
      let at = seed % (text.text.length + 1);
      if (text.text[at] === "\n" && text.text[at - 1] === "\r") at--;
      expect(offsetAt(doc, text.positionFrom(at))).toBe(at);
      expect(offsetAt(doc, text.positionTo(at))).toBe(at);
      expect(text.offsetOf(positionAt(doc, at))).toBe(at);
    }),
  );
});

test("two megabytes, and a phrase that repeats itself", () => {
  const text = "a".repeat(2_000_000);
  const doc = load(text, schema);
  expect(occurrences(doc, `b${"a".repeat(50_000)}`, ANY)).toEqual([]);
  expect(occurrences(doc, `${"a".repeat(50_000)}b`, ANY)).toEqual([]);
  expect(occurrences(doc, "a".repeat(50_000), ANY)).toHaveLength(40);
});
