import fc from "fast-check";
import { expect, test } from "vitest";
import { aDraft } from "@/features/transfers/transfer.fixture";
import { type Choice, chosenOf, NONE_CHOSEN, ticked, tickedAll, without } from "./selection";

const SHOWN = ["a", "b", "c", "d", "e", "f"].map((id) => aDraft({ id }));
const ids = (choice: Choice, shown = SHOWN) => chosenOf(choice, shown).map(({ id }) => id);

test("a range is chosen from the last one on, either way, and unchosen likewise", () => {
  const one = ticked(NONE_CHOSEN, SHOWN, "b", true, false);
  const down = ticked(one, SHOWN, "e", true, true);
  expect(ids(down)).toEqual(["b", "c", "d", "e"]);
  expect(ids(ticked(down, SHOWN, "d", false, true))).toEqual(["b", "c"]);
  expect(ids(ticked(one, SHOWN, "a", true, true))).toEqual(["a", "b"]);
});

test("a range from nowhere, or from one that is not shown any more, is the one itself", () => {
  expect(ids(ticked(NONE_CHOSEN, SHOWN, "c", true, true))).toEqual(["c"]);
  const elsewhere = { chosen: new Map(), last: "z" };
  expect(ids(ticked(elsewhere, SHOWN, "c", true, true))).toEqual(["c"]);
});

test("who is chosen stays so while others are shown, and is taken as it is now", () => {
  const before = ticked(NONE_CHOSEN, SHOWN, "a", true, false);
  const others = [aDraft({ id: "x" })];
  const both = tickedAll(before, others, true);
  expect(ids(both, others)).toEqual(["x", "a"]);
  expect(chosenOf(both, [aDraft({ id: "a", revision: 7 })])[0]?.revision).toBe(7);
  expect(ids(without(both, "a"), others)).toEqual(["x"]);
});

test("a range changes nothing but what lies between", () => {
  const index = fc.nat({ max: SHOWN.length - 1 });
  fc.assert(
    fc.property(fc.uniqueArray(index), index, index, fc.boolean(), (first, from, to, on) => {
      const before = first.reduce((choice, at) => ticked(choice, SHOWN, SHOWN[at]?.id ?? "", true, false), NONE_CHOSEN);
      const anchored = { ...before, last: SHOWN[from]?.id ?? "" };
      const after = ticked(anchored, SHOWN, SHOWN[to]?.id ?? "", on, true);
      SHOWN.forEach(({ id }, at) => {
        const between = at >= Math.min(from, to) && at <= Math.max(from, to);
        expect(after.chosen.has(id)).toBe(between ? on : before.chosen.has(id));
      });
    }),
  );
});
