import { expect, it } from "vitest";
import { SHARE_CLASSES, SIZE_CLASSES } from "./classes";
import { countVerdicts, intervalText, type ModeCell, matrixOf, signedPercent, verdictOf } from "./modes-compared";

function cell(change: Partial<ModeCell> = {}): ModeCell {
  return {
    size: "1MB",
    share: "10",
    sieve: { count: 40, mean_ms: 66 },
    secure_only: { count: 30, mean_ms: 100 },
    improvement_percent: 34,
    low: 28,
    high: 40,
    enough: true,
    ...change,
  };
}

it.each([
  ["sieve", {}],
  ["secure-only", { improvement_percent: -5, low: -9, high: -1 }],
  ["unclear", { improvement_percent: 2, low: -1, high: 5 }],
  ["few", { enough: false }],
  ["few", { improvement_percent: null, low: null, high: null }],
] as const)("judges by the interval: %s", (verdict, change) => {
  expect(verdictOf(cell(change))).toBe(verdict);
});

it("has only the rows and columns with transfers, in the order of the classes", () => {
  const cells = [cell({ size: "10MB", share: "90" }), cell(), cell({ share: "90", enough: false })];
  const matrix = matrixOf(cells, SIZE_CLASSES, SHARE_CLASSES);
  expect(matrix.sizes).toEqual(["1MB", "10MB"]);
  expect(matrix.shares).toEqual(["10", "90"]);
  expect(matrix.at("10MB", "90")).toBe(cells[0]);
  expect(matrix.at("10MB", "10")).toBeUndefined();
  expect(countVerdicts(cells)).toEqual({ sieve: 2, "secure-only": 0, unclear: 0, few: 1 });
});

it.each([
  [34.2, "+34 %"],
  [-0.44, "−0.4 %"],
  [0.04, "0 %"],
  [9.96, "+10 %"],
])("writes %d as %s", (percent, text) => {
  expect(signedPercent(percent)).toBe(text);
});

it("writes both ends of an interval with their signs", () => {
  expect(intervalText(-2.5, 12)).toBe("−2.5 to +12 %");
});
