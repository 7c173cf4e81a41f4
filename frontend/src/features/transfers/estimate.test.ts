import { expect, it } from "vitest";
import { figuresOf, roughly, summaryOf } from "./estimate";
import { anEstimate } from "./transfer.fixture";

const SIEVE = { mode: "sieve", secure_channels: 1, plain_channels: 1 };
const SECURE = { mode: "secure-only", secure_channels: 1, plain_channels: 0 };

it.each([
  [
    { ...SIEVE, estimate: anEstimate() },
    "Both channels should be faster. Sending should take under a second.",
    [
      "Both channels (1 secure, 1 plain): response of about 7 ms",
      "The secure channel alone: response of about 12.3 ms",
      "Both channels are faster if at most 93 % is classified",
    ],
  ],
  [
    { ...SECURE, secure_channels: 3, estimate: anEstimate({ reason: "requested", break_even: "never" }) },
    "Sending should take under a second.",
    [
      "The secure channel alone (3 channels): response of about 7 ms",
      "Both channels: response of about 12.3 ms",
      "The secure channel alone is faster for any share classified",
    ],
  ],
  [
    { ...SECURE, estimate: anEstimate({ reason: "plain-failed", break_even: 1, expected_ms: 5400 }) },
    "The plain channel failed before, so everything uses the secure channel. Sending should take about 5 s.",
    [
      "The secure channel alone: response of about 7 ms",
      "Both channels: response of about 12.3 ms",
      "Both channels are faster if at most 99 % is classified",
    ],
  ],
  [
    { ...SECURE, estimate: anEstimate({ reason: "all-classified", expected_ms: null }) },
    "Everything is classified, so it uses the secure channel. There is no reliable estimate yet of how long it takes.",
    [],
  ],
  [
    { ...SECURE, estimate: anEstimate({ reason: "as-estimated", expected_ms: null }) },
    "Everything uses the secure channel, as estimated before sending. There is no reliable estimate yet of how long it takes.",
    [],
  ],
  [
    { ...SIEVE, estimate: anEstimate({ measured: false, expected_ms: null }) },
    "This uses both channels. There is no reliable estimate yet of how long it takes.",
    [],
  ],
  [
    { ...SIEVE, estimate: anEstimate({ reason: "measuring", expected_ms: null }) },
    "This used both channels to measure how long that takes. There is no reliable estimate yet of how long it takes.",
    [],
  ],
])("%o", (plan, summary, figures) => {
  expect(summaryOf(plan)).toBe(summary);
  expect(figuresOf(plan)).toEqual(figures);
});

it.each([
  [3.2, "under a second"],
  [999, "under a second"],
  [1400, "about 1 s"],
  [5200, "about 5 s"],
  [9600, "about 10 s"],
  [23_000, "about 25 s"],
  [59_000, "about a minute"],
  [118_000, "about 2 minutes"],
  [3_600_000, "about an hour"],
  [9_000_000, "about 3 hours"],
])("says %d ms in words", (ms, words) => {
  expect(roughly(ms)).toBe(words);
});
