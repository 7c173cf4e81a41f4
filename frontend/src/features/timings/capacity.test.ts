import { expect, it } from "vitest";
import { busiestText, highestLoad, rateLimits, responseAt, stepOf, valueAt } from "./capacity";
import { aCapacity } from "./timings.fixture";

it("shows every measured rate and the highest saturation, and something even if there is nothing", () => {
  const [from, to] = rateLimits(aCapacity());
  expect(from).toBeLessThan(0.5);
  expect(to).toBeGreaterThan(50);
  const nothing = aCapacity({ models: [], curves: [], measured: [] });
  nothing.load.rate_per_s = nothing.load.busiest_per_s = 0;
  nothing.asked.rate_per_s = 0;
  expect(rateLimits(nothing)).toEqual([0.1, 10]);
});

it("names the busiest hour, which may be the current one, unless the time range was busier", () => {
  const { load } = aCapacity();
  expect(busiestText(load)).toMatch(/^The busiest hour, which began on .*, had 12 a second\.$/);
  expect(busiestText({ ...load, busiest_so_far: true })).toMatch(
    /^The current hour is the busiest.* 12 a second so far\.$/,
  );
  expect(highestLoad(load)).toEqual({ name: "Busiest hour", perSecond: 12 });
  expect(highestLoad({ ...load, busiest_span_s: 86_400 }).name).toBe("Busiest day");
  const short = { ...load, rate_per_s: 20 };
  expect(busiestText(short)).toBe("");
  expect(highestLoad(short)).toEqual({ name: "Average load", perSecond: 20 });
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
