import { expect, it } from "vitest";
import type { TimedPhase, TimingsPhases } from "@/api/timings";
import { barsOf, longestPhase, PHASES } from "./phases";

type Group = TimingsPhases["groups"][number];

const NO_TIME = Object.fromEntries(PHASES.map(({ id }) => [id, 0])) as Record<TimedPhase, number>;

function group(key: string, count: number, mean_ms: Partial<Record<TimedPhase, number>>): Group {
  return { key, label: key, count, mean_ms: { ...NO_TIME, ...mean_ms } };
}

const SMALL = group("10KB", 90, { waiting: 30, data_transfer: 10 });
const LARGE = group("10MB", 10, { data_transfer: 380, storing: 20 });

it("draws the phases of each group in proportion, and the bars in proportion to the longest", () => {
  const [small, large] = barsOf([SMALL, LARGE]);
  expect(small).toMatchObject({ totalMs: 40, length: 0.1, count: 90 });
  expect(small?.parts.map(({ id, share }) => [id, share])).toEqual([
    ["waiting", 0.75],
    ["data_transfer", 0.25],
  ]);
  expect(large).toMatchObject({ totalMs: 400, length: 1 });
});

it("leaves hidden phases out of the total", () => {
  const [small, large] = barsOf([SMALL, LARGE], new Set(["waiting", "storing"]));
  expect(small).toMatchObject({ totalMs: 10, parts: [{ id: "data_transfer", share: 1 }] });
  expect(large?.totalMs).toBe(380);
});

it("has an empty bar for a group without time", () => {
  expect(barsOf([group("none", 3, {})])).toMatchObject([{ totalMs: 0, length: 0, parts: [] }]);
  expect(longestPhase([group("none", 3, {})])).toBeNull();
  expect(longestPhase([])).toBeNull();
});

it("names the phase that takes most of all transfers' time", () => {
  // 90 x 30 of waiting against 90 x 10 + 10 x 380 of data transfer.
  expect(longestPhase([SMALL, LARGE])).toEqual({ label: "Data transfer", share: 4700 / 7600 });
  expect(longestPhase([SMALL], new Set(["waiting"]))).toEqual({ label: "Data transfer", share: 1 });
});
