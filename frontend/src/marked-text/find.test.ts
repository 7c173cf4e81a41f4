import fc from "fast-check";
import { expect, test } from "vitest";
import { findAll } from "./find";
import type { Sought } from "./phrase-search";

const ANY = { matchCase: false, wholeWords: false };
const NEVER = new AbortController().signal;

const all = (text: string, phrase: string, options: Partial<Sought> = {}) =>
  findAll(text, { ...ANY, phrase, ...options }, NEVER);

async function found(text: string, phrase: string, options: Partial<Sought> = {}): Promise<string[]> {
  return (await all(text, phrase, options)).map(({ from, to }) => text.slice(from, to));
}

test("in any case, or in just this one", async () => {
  expect(await found("Heron, HERON, heron", "heron")).toEqual(["Heron", "HERON", "heron"]);
  expect(await found("Heron, HERON, heron", "heron", { matchCase: true })).toEqual(["heron"]);
  expect(await found("Straße STRASSE Strasse", "straße")).toEqual(["Straße", "STRASSE", "Strasse"]);
  expect(await found("ΟΔΟΣ οδός", "οδος")).toEqual(["ΟΔΟΣ"]);
});

test("whole words, of any script", async () => {
  const whole = { wholeWords: true };
  expect(await found("Reed, Reeds, (reed) reed_1 Öreed", "reed", whole)).toEqual(["Reed", "reed"]);
  expect(await found("юг югом юг.", "юг", whole)).toEqual(["юг", "юг"]);
  expect(await found("x-ray box-ray", "x-ray", whole)).toEqual(["x-ray"]);
  expect(await found("他住在北京。", "北京", whole)).toEqual(["北京"]);
  expect(await found("a𝒜 a", "a", whole)).toEqual(["a"]);
});

test("across white space and lines", async () => {
  const marked = "Ida  Berg, Ida\r\n\tBerg, Ida Berg,\u00a0Ida\u2003Berg, IdaBerg";
  expect(await found(marked, " ida berg ")).toEqual(["Ida  Berg", "Ida\r\n\tBerg", "Ida Berg", "Ida\u2003Berg"]);
  expect(await found(marked, "Ida\nBerg", { matchCase: true })).toHaveLength(4);
  expect(await found(`${"x\n".repeat(49)}Ida\nBerg`, "ida berg")).toEqual(["Ida\nBerg"]);
  expect(await found(`${"x\n".repeat(48)}Ida \n\nBerg`, "ida berg")).toEqual(["Ida \n\nBerg"]);
});

test("whatever form the characters have, if the case does not matter", async () => {
  expect(await found("cafe\u0301, café, CAFÉ", "Cafe\u0301")).toEqual(["cafe\u0301", "café", "CAFÉ"]);
  expect(await found("ﬁsh Ｆish", "fish")).toEqual(["ﬁsh", "Ｆish"]);
  expect(await found("Hal\u00advor\u200bsen.", "halvorsen")).toEqual(["Hal\u00advor\u200bsen"]);
  expect(await found("\u00adHeron\u00ad", "heron")).toEqual(["Heron"]);
});

test("no character is cut", async () => {
  expect(await found("e\u0301e", "e", { matchCase: true })).toEqual(["e"]);
  expect(await found("👩‍🚀 👩", "👩")).toEqual(["👩"]);
  expect(await found("🇩🇪", "🇩", { matchCase: true })).toEqual([]);
});

test("none overlaps another, and white space alone is nothing", async () => {
  expect(await found("aaaaa", "aa")).toHaveLength(2);
  expect(await found("abababab ab", "abab", { wholeWords: true })).toEqual([]);
  expect(await found("a b", "  ")).toEqual([]);
  expect(await found("", "a")).toEqual([]);
});

const PIECES = [
  "a",
  "A",
  "ab",
  " ",
  "  ",
  "\n",
  "\r\n",
  "\t",
  "e",
  "\u0301",
  "é",
  "\u00ad",
  "ß",
  "ss",
  "북",
  "\u1112\u1161",
  "京",
  "😀",
  "𝒜",
  "ﬁ",
  "👩‍🚀",
  "_",
];
const made = (maxLength: number) => fc.array(fc.constantFrom(...PIECES), { maxLength }).map((all) => all.join(""));

test("property: the same places, however the text is cut into windows", async () => {
  await fc.assert(
    fc.asyncProperty(
      made(30),
      fc.oneof(made(3), fc.tuple(fc.nat(30), fc.nat(6))),
      fc.boolean(),
      fc.boolean(),
      fc.integer({ min: 1, max: 12 }),
      async (text, sought, matchCase, wholeWords, window) => {
        const phrase = typeof sought === "string" ? sought : text.slice(sought[0], sought[0] + sought[1]);
        const wanted = { phrase, matchCase, wholeWords };
        expect(await findAll(text, wanted, NEVER, window)).toEqual(await findAll(text, wanted, NEVER));
      },
    ),
    { numRuns: 500 },
  );
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

test("property: what the naive search finds in what is short, and nothing else", async () => {
  await fc.assert(
    fc.asyncProperty(
      texts,
      fc.constantFrom("a", "a b", "ab", "aa", "b é", "fi", "ss"),
      fc.boolean(),
      async (text, phrase, matchCase) => {
        const find = (where: string) => findAll(where, { phrase, matchCase, wholeWords: false }, NEVER);
        const places = await find(text);
        let reached = 0;
        for (const { from, to } of places) {
          expect(from).toBeGreaterThanOrEqual(reached);
          reached = to;
          expect(await find(text.slice(from, to))).toEqual([{ from: 0, to: to - from }]);
        }
        if (matchCase && !phrase.includes("é")) {
          const naive = new RegExp(`${phrase.replace(" ", "\\s+")}(?!\\p{M})`, "gu");
          expect(places.map(({ from }) => from)).toEqual([...text.matchAll(naive)].map(({ index }) => index));
        }
      },
    ),
  );
});

test("two megabytes, and a phrase that repeats itself", async () => {
  const text = "a".repeat(2_000_000);
  expect(await all(text, `b${"a".repeat(50_000)}`)).toEqual([]);
  expect(await all(text, `${"a".repeat(50_000)}b`)).toEqual([]);
  expect(await all(text, "a".repeat(50_000))).toHaveLength(40);
});

test("the page stays awake while a phrase is searched that is nowhere in the text", async () => {
  const text = "Berth 12 is free until noon; the pilot is J. Doe.\r\n".repeat(60_000);
  const stop = new AbortController();
  const finding = findAll(text, { ...ANY, phrase: "Kestrel" }, stop.signal);
  setTimeout(() => stop.abort(new Error("another phrase")));
  await expect(finding).rejects.toThrow("another phrase");
});
