import { expect, test } from "vitest";
import { entriesOf } from "./mark-groups";

const TEXTS = ["tom", "pier", "tom", "", "tom", "pier", "tom", "", "", ""];
const shown = (open: readonly string[]) =>
  entriesOf(TEXTS, new Set(open)).map((entry) =>
    entry.is === "one" ? entry.index : `${entry.key} × ${entry.indexes.length}`,
  );

test("many marks of one text are one row where the first of them is, and others stay alone", () => {
  expect(shown([])).toEqual(["tom × 4", 1, 3, 5, 7, 8, 9]);
});

test("an open row lists its marks, so that each mark has a row", () => {
  expect(shown(["tom"])).toEqual(["tom × 4", 0, 2, 4, 6, 1, 3, 5, 7, 8, 9]);
});
