import { expect, test } from "vitest";
import { faultOf, fieldTime, OWN_DEADLINE, secondsOf } from "./deadline";

const NOW = new Date(2026, 10, 23, 9, 30);

test("a date and time is in this browser's time zone", () => {
  expect(fieldTime(NOW)).toBe("2026-11-23T09:30");
  expect(secondsOf({ at: "2026-11-23T10:30" }, NOW)).toBe(3600);
  expect(secondsOf(OWN_DEADLINE, NOW)).toBeNull();
  expect(secondsOf({ after: 60 }, NOW)).toBe(60);
});

test.each([
  ["", "Choose a date and time."],
  ["2026-11-23T09:30", "Choose a time in the future."],
  ["2028-01-01T00:00", "Choose a time within a year."],
  ["2026-11-23T09:31", null],
])("%j is checked", (at, fault) => {
  expect(faultOf({ at }, NOW)).toBe(fault);
});
