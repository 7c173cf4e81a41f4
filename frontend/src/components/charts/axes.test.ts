import fc from "fast-check";
import { expect, test } from "vitest";
import { logTicks, periodText, timeLabels } from "./axes";

const value = fc.double({ min: 1e-3, max: 1e8, noNaN: true });

test("ticks are in order, inside the axis, and no more than there is room for", () => {
  fc.assert(
    fc.property(
      value,
      fc.double({ min: 1.001, max: 1e6, noNaN: true }),
      fc.integer({ min: 2, max: 20 }),
      (min, ratio, most) => {
        const ticks = logTicks(min, min * ratio, most);
        expect(ticks.length).toBeGreaterThan(0);
        expect(ticks.length).toBeLessThanOrEqual(most);
        expect(ticks).toEqual([...ticks].sort((one, other) => one - other));
        expect(ticks.every((tick) => tick >= min && tick <= min * ratio)).toBe(true);
        const apart = ticks.slice(1).map((tick, index) => Math.log10(tick / (ticks[index] ?? tick)));
        expect(Math.min(...apart)).toBeGreaterThan(Math.log10(ratio) / most / 2);
      },
    ),
  );
});

test("ticks are round numbers, closer together where there is room", () => {
  expect(logTicks(80, 2300, 20)).toEqual([100, 200, 500, 1000, 2000]);
  expect(logTicks(80, 800, 15)).toEqual([80, 90, 100, 200, 300, 400, 500, 600, 700, 800]);
  expect(logTicks(1, 1e6, 9)).toEqual([1, 10, 100, 1000, 10_000, 100_000, 1_000_000]);
  expect(logTicks(210, 290, 9)).toEqual([210, 290]);
});

test("the labels of the last digits of a decade have room", () => {
  // 60 pixels each: 0.009 and 0.01 would be 27 pixels apart.
  expect(logTicks(0.0055, 0.6, 20)).toEqual([0.01, 0.02, 0.05, 0.1, 0.2, 0.5]);
});

test("the day is written where it changes", () => {
  const at = (day: number, hour: number) => new Date(2026, 10, day, hour).getTime() / 1000;
  expect(timeLabels([at(22, 18), at(23, 0), at(23, 6)], 6 * 3600)).toEqual(["18:00\n22 Nov", "00:00\n23 Nov", "06:00"]);
  expect(timeLabels([at(22, 0), at(23, 0)], 86_400)).toEqual(["22 Nov", "23 Nov"]);
});

test("a period says its day", () => {
  const at = new Date(2026, 10, 22, 23, 30).toISOString();
  expect(periodText(at, 300)).toBe("22 Nov, 23:30 to 23:35");
  expect(periodText(new Date(2026, 10, 22).toISOString(), 86_400)).toBe("22 Nov");
  expect(periodText(new Date(2026, 10, 22).toISOString(), 2 * 86_400)).toBe("22 Nov to 23 Nov");
});
