// @vitest-environment node
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Mark } from "@/api/files";
import { canonical, MarkIndex, marked, type Place, united, unmarked, whole } from "./marks";

const LENGTH = 12;
const address = fc.constantFrom("word/document.xml/p1", "word/document.xml/p2", "word/document.xml/p2/hidden");
const range = fc
  .tuple(fc.nat(LENGTH), fc.nat(LENGTH))
  .filter(([one, other]) => one !== other)
  .map(([one, other]) => ({ start: Math.min(one, other), end: Math.max(one, other) }));
const place: fc.Arbitrary<Place> = fc.oneof(
  fc.record({ address, range }).map(({ address, range }) => ({ address, ...range })),
  address.map(whole),
);
const mark: fc.Arbitrary<Mark> = fc
  .record({ place, rule: fc.constantFrom("", "names"), label: fc.constant(""), reason: fc.constantFrom("", "a name") })
  .map(({ place, ...rest }) => ({ ...place, ...rest }));
const marks = fc.array(mark, { maxLength: 12 }).map(canonical);
const places = fc.array(place, { maxLength: 5 });

/** Every code point that is marked, as text. */
function points(all: readonly Mark[]): Set<string> {
  const found = new Set<string>();
  for (const { address, start, end } of all) {
    for (let point = start ?? 0; point < (end ?? LENGTH); point++) found.add(`${address} ${point}`);
  }
  return found;
}

function pointsOf(all: readonly Place[]): Set<string> {
  return points(all.map((place) => ({ ...place, label: "", rule: "", reason: "" })));
}

describe("marks", () => {
  it("are the same list for the same set, in whatever order they come", () => {
    fc.assert(
      fc.property(
        fc.array(mark, { maxLength: 12 }),
        fc.array(fc.nat(), { minLength: 12, maxLength: 12 }),
        (all, keys) => {
          const shuffled = all.map((one, index) => ({ one, key: keys[index] ?? 0 })).sort((a, b) => a.key - b.key);
          const once = canonical(all);
          expect(canonical(shuffled.map(({ one }) => one))).toEqual(once);
          expect(canonical(once)).toEqual(once);
          expect(points(once)).toEqual(points(all));
        },
      ),
    );
  });

  it("grow by just what is marked", () => {
    fc.assert(
      fc.property(marks, places, (before, added) => {
        expect(points(marked(before, added))).toEqual(new Set([...points(before), ...pointsOf(added)]));
      }),
    );
  });

  it("shrink by just what is unmarked", () => {
    fc.assert(
      fc.property(marks, places, (before, gone) => {
        const left = points(before);
        for (const point of pointsOf(gone)) left.delete(point);
        expect(points(unmarked(before, gone, () => LENGTH))).toEqual(left);
      }),
    );
  });

  it("stay whole where the length of a unit is not known", () => {
    const all = canonical([{ ...whole("page/1"), label: "", rule: "", reason: "" }]);
    expect(unmarked(all, [{ address: "page/1", start: 0, end: 3 }])).toEqual(all);
    expect(unmarked(all, [whole("page/1")])).toEqual([]);
  });

  it("of two savers come to all that either marked", () => {
    fc.assert(
      fc.property(marks, marks, (one, other) => {
        expect(points(united(one, other))).toEqual(new Set([...points(one), ...points(other)]));
      }),
    );
  });

  it("count rows as numbers", () => {
    const rows = marked([], ["row/10", "row/9", "row/2/pay"].map(whole));
    expect(rows.map(({ address }) => address)).toEqual(["row/2/pay", "row/9", "row/10"]);
  });
});

describe("an index of marks", () => {
  const index = new MarkIndex(
    marked([], [whole("word/header1.xml"), { address: "word/document.xml/p1", start: 2, end: 5 }, whole("row/3")]),
  );

  it("knows what a mark further up covers", () => {
    expect(index.covering("word/header1.xml/p2")).toBe("word/header1.xml");
    expect(index.covering("word/header1.xml")).toBe("word/header1.xml");
    expect(index.covering("word/header10.xml/p2")).toBeNull();
    expect(index.covering("row/3/pay")).toBe("row/3");
    expect(index.covering("row/30/pay")).toBeNull();
  });

  it("takes a column whose name holds a slash for no part of another", () => {
    const index = new MarkIndex(marked([], ["row/1/price", "column/cost", "row/2"].map(whole)));
    expect(index.covering("row/1/price/unit")).toBeNull();
    expect(index.covering("column/cost/unit")).toBeNull();
    expect(index.covering("row/2/price/unit")).toBe("row/2");
    expect(index.count("row/1")).toBe(1);
    expect(new MarkIndex(marked([], [whole("row/1/price/unit")])).count("row/1/price")).toBe(0);
  });

  it("counts the marks at and below an address", () => {
    expect(index.count("word")).toBe(2);
    expect(index.count("word/document.xml")).toBe(1);
    expect(index.ranges("word/document.xml/p1")).toEqual([{ start: 2, end: 5 }]);
    expect(index.count("word/document.xml/p2")).toBe(0);
  });
});
