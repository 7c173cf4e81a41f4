/** Labels outlive editing; the same rules as in the gateway, in backend/tests/marking/test_labels.py. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { carried, carriedSince, given, kept, type Label, rankIn, remembered } from "./labels-after-edit";

const SET = {
  ...{ name: "s", default: "low" },
  labels: ["low", "middle", "high"].map((name, rank) => ({ name, rank, banner: name, colour: null })),
};
const rank = rankIn(SET);
const label = fc.constantFrom<Label>(null, "low", "middle", "high", "of another set");
const spans = fc.array(fc.tuple(fc.constantFrom("a", "b", "c", "d"), label), { maxLength: 8 });
const texts = fc.array(fc.constantFrom("a", "b", "c", "d", "e", "f"), { maxLength: 8 });

test("the same text keeps its label or a higher one, and what is new has the highest of what is gone", () => {
  fc.assert(
    fc.property(spans, texts, (before, after) => {
      const had = before.map(([text]) => text);
      const now = carried(
        had,
        before.map(([, label]) => label),
        after,
        rank,
      );
      const count = (all: readonly string[], one: string) => all.filter((text) => text === one).length;
      const gone = before.filter(([text]) => count(had, text) > count(after, text)).map(([, label]) => rank(label));
      const same = had.join() === after.join();
      after.forEach((text, place) => {
        const own = before.filter(([one]) => one === text).map(([, label]) => rank(label));
        if (same) expect(now[place]).toBe(before[place]?.[1]);
        else expect(rank(now[place] ?? null)).toBe(Math.max(...(own.length ? own : [rank(null), ...gone])));
      });
    }),
    { numRuns: 300 },
  );
});

test("what was cut before the latest save and is back has the label that it had; what is lowered there stays so", () => {
  const first = { texts: ["a", "b"], labels: ["high", "middle"] };
  const latest = { texts: ["b"], labels: ["low"] };
  const nothing = new Map<string, Label>();
  expect(carriedSince(nothing, first, latest, ["a", "b"], rank)).toEqual(["high", "low"]);
  expect(carriedSince(nothing, latest, latest, ["a", "b"], rank)).toEqual([null, "low"]);
  const earlier = remembered(nothing, { texts: ["a", "b", "c", "c"], labels: ["low", "high", null, "middle"] }, rank);
  expect(carriedSince(earlier, first, latest, ["a", "b", "c"], rank)).toEqual(["high", "low", "middle"]);
  expect(carriedSince(earlier, latest, latest, ["a", "b", "c"], rank)).toEqual([null, "low", "middle"]);
});

test("a label that a policy gives and the set does not know is the highest", () => {
  expect(["", "middle", "of another set"].map((label) => given(SET, label))).toEqual([undefined, "middle", "high"]);
});

test("a banner stays where it was, also where what it came from is gone", () => {
  const draft = { revision: 1, labels: null, floor: "high", banner: "high", banner_text: "", compilation_reason: null };
  expect(kept(draft, [null], rank)).toEqual({ name: "high", reason: "" });
  expect(kept(draft, ["middle", "high"], rank)).toBe(null);
  expect(kept({ ...draft, banner: "low" }, [null], rank)).toBe(null);
});
