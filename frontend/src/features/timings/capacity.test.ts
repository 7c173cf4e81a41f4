import { expect, it } from "vitest";
import { rateLimits, responseAt, stepOf, valueAt } from "./capacity";
import { aCapacity } from "./timings.fixture";

it("shows every measured rate and the highest saturation, and something even if there is nothing", () => {
  const [from, to] = rateLimits(aCapacity());
  expect(from).toBeLessThan(0.5);
  expect(to).toBeGreaterThan(50);
  const nothing = aCapacity({ models: [], curves: [], measured: [] });
  nothing.load.busiest_per_s = 0;
  nothing.asked.rate_per_s = 0;
  expect(rateLimits(nothing)).toEqual([0.1, 10]);
});

it("reads a curve between its points", () => {
  const curve = [
    [0, 20],
    [4, 40],
  ] as const;
  expect([0, 1, 4, 5].map((rate) => responseAt(curve, rate))).toEqual([20, 25, 40, null]);
  expect(responseAt([], 1)).toBeNull();
});

it("slides over powers of ten", () => {
  expect(valueAt(500, 0.01, 100)).toBe(1);
  expect(stepOf(1, 0.01, 100)).toBe(500);
  expect([stepOf(0, 0.01, 100), stepOf(1e9, 0.01, 100)]).toEqual([0, 1000]);
});
