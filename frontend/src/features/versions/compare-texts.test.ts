import fc from "fast-check";
import { expect, test } from "vitest";
import type { MarkedDocument, TextSpan } from "@/marked-text/markup";
import { changesOf, compareTexts, type Run } from "./compare-texts";

const document = (text: string, ...classified: string[]): MarkedDocument => ({
  text,
  spans: classified.map((part): TextSpan => ({ from: text.indexOf(part), to: text.indexOf(part) + part.length })),
});
const told = (runs: readonly Run[]) =>
  runs.map(({ text, where, wasClassified, isClassified }) => {
    return `${where}:${Number(wasClassified)}${Number(isClassified)}:${text}`;
  });

test("words and marks that were added and removed", () => {
  const before = document("Heron leaves berth 3 at noon.", "Heron", "berth 3");
  const after = document("Heron leaves berth 4 today at noon.", "berth 4", "noon");
  const found = compareTexts(before, after);
  expect(told(found?.runs ?? [])).toEqual([
    "both:10:Heron",
    "both:00: leaves ",
    "both:11:berth ",
    "old:10:3",
    "new:01:4",
    "both:00: ",
    "new:00:today ",
    "both:00:at ",
    "both:01:noon",
    "both:00:.",
  ]);
  expect(found).toMatchObject({ wordsAdded: 2, wordsRemoved: 1, marksAdded: 1, marksRemoved: 1 });
});

test("equal versions have no changes", () => {
  const same = document("a b", "b");
  expect(compareTexts(same, same)).toMatchObject({ wordsAdded: 0, wordsRemoved: 0, marksAdded: 0, marksRemoved: 0 });
});

test("the runs of each version are its text with its spans", () => {
  const words = fc.array(fc.constantFrom("a", "b ", "\n", "c", " "), { maxLength: 12 });
  const side = fc.tuple(words, fc.array(fc.nat(20), { maxLength: 6 })).map(([parts, edges]): MarkedDocument => {
    const text = parts.join("");
    const sorted = [...new Set(edges.map((edge) => edge % (text.length + 1)))].sort((a, b) => a - b);
    const spans: TextSpan[] = [];
    for (let at = 0; at + 1 < sorted.length; at += 2) {
      spans.push({ from: sorted[at] as number, to: sorted[at + 1] as number });
    }
    return { text, spans };
  });
  fc.assert(
    fc.property(side, side, (before, after) => {
      const runs = compareTexts(before, after)?.runs ?? [];
      for (const [version, other, mark] of [
        [before, "new", "wasClassified"],
        [after, "old", "isClassified"],
      ] as const) {
        let at = 0;
        for (const run of runs) {
          if (run.where === other) continue;
          expect(version.text.startsWith(run.text, at)).toBe(true);
          for (let i = at; i < at + run.text.length; i += 1) {
            expect(version.spans.some(({ from, to }) => from <= i && i < to)).toBe(run[mark]);
          }
          at += run.text.length;
        }
        expect(at).toBe(version.text.length);
      }
    }),
    { numRuns: 200 },
  );
});

test("long unchanged text is left out, and nothing of a change", () => {
  const long = "one two three four five\n".repeat(100);
  const found = compareTexts(document(`${long}old\n${long}`), document(`${long}new\n${long}`));
  const shown = changesOf(found?.runs ?? []);
  const text = shown.map((part) => ("text" in part ? part.text : "…")).join("");
  expect(text.startsWith("…")).toBe(true);
  expect(text.endsWith("…")).toBe(true);
  expect(text).toContain("oldnew\n");
  const leftOut = shown.reduce((sum, part) => sum + ("leftOut" in part ? part.leftOut : 0), 0);
  expect(leftOut + text.length - 2).toBe(2 * long.length + 7);
});
