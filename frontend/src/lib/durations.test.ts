import { expect, it } from "vitest";
import { durationText, spanText } from "./durations";

it.each([
  [0, "0 ms"],
  [0.149, "0.15 ms"],
  [12.44, "12.4 ms"],
  [99.96, "100 ms"],
  [999.6, "1 s"],
  [1240, "1.24 s"],
  [25_000, "25 s"],
  [59_999, "1 min 0 s"],
  [185_000, "3 min 5 s"],
  [75_016_000, "20 h 50 min"],
])("%d ms is %s", (ms, text) => {
  expect(durationText(ms)).toBe(text);
});

it.each([
  [3600, "1 hour"],
  [86_400, "1 day"],
  [259_200, "3 days"],
  [5400, "90 minutes"],
  [61, "61 seconds"],
])("a span of %i s is %s", (seconds, text) => {
  expect(spanText(seconds)).toBe(text);
});
