import fc from "fast-check";
import { expect, test } from "vitest";
import { deselect, NOTHING_SELECTED, type Selection, selectedRows, toggle, toggleAll } from "./selection";

interface Row {
  id: string;
  revision: number;
}
const row = (change: Partial<Row>): Row => ({ id: "a", revision: 1, ...change });
const SHOWN = ["a", "b", "c", "d", "e", "f"].map((id) => row({ id }));
const ids = (selection: Selection<Row>, shown = SHOWN) => selectedRows(selection, shown).map(({ id }) => id);

test("a range is chosen from the last one on, either way, and unchosen likewise", () => {
  const one = toggle(NOTHING_SELECTED, SHOWN, "b", true, false);
  const down = toggle(one, SHOWN, "e", true, true);
  expect(ids(down)).toEqual(["b", "c", "d", "e"]);
  expect(ids(toggle(down, SHOWN, "d", false, true))).toEqual(["b", "c"]);
  expect(ids(toggle(one, SHOWN, "a", true, true))).toEqual(["a", "b"]);
});

test("a range from nowhere, or from one that is not shown any more, is the one itself", () => {
  expect(ids(toggle(NOTHING_SELECTED, SHOWN, "c", true, true))).toEqual(["c"]);
  const elsewhere = { selected: new Map(), last: "z" };
  expect(ids(toggle(elsewhere, SHOWN, "c", true, true))).toEqual(["c"]);
});

test("selected rows stay selected during a search, in their latest state", () => {
  const before = toggle(NOTHING_SELECTED, SHOWN, "a", true, false);
  const others = [row({ id: "x" })];
  const both = toggleAll<Row>(before, others, true);
  expect(ids(both, others)).toEqual(["x", "a"]);
  expect(selectedRows(both, [row({ id: "a", revision: 7 })])[0]?.revision).toBe(7);
  expect(ids(deselect(both, "a"), others)).toEqual(["x"]);
});

test("a range changes only the documents in it", () => {
  const index = fc.nat({ max: SHOWN.length - 1 });
  fc.assert(
    fc.property(fc.uniqueArray(index), index, index, fc.boolean(), (first, from, to, on) => {
      const before = first.reduce<Selection<Row>>(
        (selection, at) => toggle(selection, SHOWN, SHOWN[at]?.id ?? "", true, false),
        NOTHING_SELECTED,
      );
      const anchored = { ...before, last: SHOWN[from]?.id ?? "" };
      const after = toggle(anchored, SHOWN, SHOWN[to]?.id ?? "", on, true);
      SHOWN.forEach(({ id }, at) => {
        const between = at >= Math.min(from, to) && at <= Math.max(from, to);
        expect(after.selected.has(id)).toBe(between ? on : before.selected.has(id));
      });
    }),
  );
});
