/** A phrase stands in a long text where it stands in the same short one, however the text is cut on the way. */
import { Text } from "@codemirror/state";
import fc from "fast-check";
import { expect, test } from "vitest";
import { load } from "@/features/text/tiptap/engine/load";
import { occurrences } from "@/features/text/tiptap/engine/occurrences";
import { schema } from "@/features/text/tiptap/engine/session.fixture";
import { printSegments } from "@/marked-text/markup";
import { findAll, placeNear, type Wanted } from "./find";

const docOf = (text: string) => Text.of(text.split("\n"));
const ANY = { matchCase: false, wholeWords: false };

async function found(text: string, phrase: string, options: Partial<Wanted> = {}): Promise<string[]> {
  const places = await findAll(docOf(text), { ...ANY, phrase, ...options }, new AbortController().signal);
  return places.map(({ from, to }) => text.slice(from, to));
}

test("across line ends, whole characters, words of any script", async () => {
  expect(await found("Project Falcon, project\r\n\tfalcon", "project falcon")).toEqual([
    "Project Falcon",
    "project\r\n\tfalcon",
  ]);
  expect(await found("cafe\u0301 cafe", "cafe")).toEqual(["cafe"]);
  expect(await found("cafe\u0301", "café")).toEqual(["cafe\u0301"]);
  expect(await found("Hal\u00advor\u200bsen", "halvorsen")).toEqual(["Hal\u00advor\u200bsen"]);
  expect(await found("他住在北京。", "北京", { wholeWords: true })).toEqual(["北京"]);
  expect(await found("Reed, Reeds", "reed", { wholeWords: true })).toEqual(["Reed"]);
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

test("exactly what is found in a short text", async () => {
  await fc.assert(
    fc.asyncProperty(
      made(30),
      fc.oneof(made(3), fc.tuple(fc.nat(30), fc.nat(6))),
      fc.boolean(),
      fc.boolean(),
      fc.integer({ min: 1, max: 12 }),
      async (text, sought, matchCase, wholeWords, window) => {
        const phrase = typeof sought === "string" ? sought : text.slice(sought[0], sought[0] + sought[1]);
        const options = { matchCase, wholeWords };
        const signal = new AbortController().signal;
        const long = await findAll(docOf(text), { phrase, ...options }, signal, window);
        const short = load(printSegments([{ text, classified: false }]), schema);
        expect(long).toEqual(occurrences(short, phrase, options));
      },
    ),
    { numRuns: 500 },
  );
});

test("the page stays awake while a phrase is looked for that stands nowhere", async () => {
  const doc = docOf("Berth 12 is free until noon; the pilot is J. Doe.\r\n".repeat(60_000));
  const stop = new AbortController();
  const finding = findAll(doc, { ...ANY, phrase: "Kestrel" }, stop.signal);
  setTimeout(() => stop.abort(new Error("another phrase")));
  await expect(finding).rejects.toThrow("another phrase");
});

test("the place that is nearest", () => {
  const places = [
    { from: 1, to: 3 },
    { from: 5, to: 6 },
  ];
  expect([0, 2, 3, 5, 6].map((pos) => placeNear(places, pos))).toEqual([0, 0, 1, 1, 0]);
});
