import { expect, it } from "vitest";
import { figuresOf, summaryOf } from "./estimate";
import { anEstimate } from "./transfer.fixture";

const SIEVE = { mode: "sieve", secure_channels: 1, plain_channels: 1 };
const SECURE = { mode: "secure-only", secure_channels: 1, plain_channels: 0 };

it.each([
  [
    { ...SIEVE, estimate: anEstimate() },
    "Both channels should be faster: about 7 ms instead of 12.3 ms.",
    [
      "Both channels (1 secure, 1 plain): about 7 ms",
      "The secure channel alone: about 12.3 ms",
      "Both channels are faster if at most 93 % is classified",
    ],
  ],
  [
    {
      ...SECURE,
      secure_channels: 3,
      estimate: anEstimate({ reason: "requested", break_even: "never", measured: false }),
    },
    "Sending should take about 7 ms.",
    [
      "The secure channel alone (3 channels): about 7 ms",
      "Both channels: about 12.3 ms",
      "The secure channel alone is faster however little is classified",
      "Nothing has been sent to this gateway yet, so this is a rough estimate",
    ],
  ],
  [
    {
      ...SIEVE,
      secure_channels: 2,
      plain_channels: 3,
      estimate: anEstimate({ reason: "measuring", predicted_ms: 6400, other_ms: 6.1, break_even: "always" }),
    },
    "Both channels, to measure how long it takes: about 6.4 s.",
    [
      "Both channels (2 secure, 3 plain): about 6.4 s",
      "The secure channel alone: about 6.1 ms",
      "Both channels are faster however much is classified",
      "The gateway tries this once to measure how long it takes",
    ],
  ],
  [
    { ...SECURE, estimate: anEstimate({ reason: "plain-failed", break_even: 1 }) },
    "The plain channel failed before, so everything uses the secure channel. This should take about 7 ms.",
    [
      "The secure channel alone: about 7 ms",
      "Both channels: about 12.3 ms",
      "Both channels are faster if at most 99 % is classified",
    ],
  ],
])("%o", (plan, summary, figures) => {
  expect(summaryOf(plan)).toBe(summary);
  expect(figuresOf(plan)).toEqual(figures);
});

it("does not claim that a way is faster if the figures do not say so", () => {
  const estimate = anEstimate({ predicted_ms: 7.01, other_ms: 7.04 });
  expect(summaryOf({ ...SIEVE, estimate })).toBe("Both ways should take about 7 ms.");
  const kept = anEstimate({ predicted_ms: 7.2, other_ms: 7.1 });
  expect(summaryOf({ ...SIEVE, estimate: kept })).toBe("Both channels should take about 7.2 ms.");
});
