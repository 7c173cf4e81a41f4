import { expect, it } from "vitest";
import { estimateOf } from "./estimate";

it.each([
  [
    "sieve, 1+1, about 7.0 ms; secure-only about 12 ms; break-even at P = 0.93",
    "Both channels should be faster: about 7.0 ms instead of 12 ms.",
    [
      "Both channels (1 secure, 1 plain): about 7.0 ms",
      "The secure channel alone: about 12 ms",
      "Both channels are faster if at most 93 % is classified",
    ],
  ],
  [
    "secure-only, as asked, 3, about 8.1 s; sieve about 8.9 s; secure-only is quicker at every P; nothing was measured there yet",
    "Sending should take about 8.1 s.",
    [
      "The secure channel alone (3 channels): about 8.1 s",
      "Both channels: about 8.9 s",
      "The secure channel alone is faster however little is classified",
      "Nothing has been sent to this gateway yet, so this is a rough estimate",
    ],
  ],
  [
    "sieve, 2+3, about 6.4 ms; secure-only about 6.1 ms; sieve is quicker at every P; tried to learn what it takes",
    "Both channels, to measure how long it takes: about 6.4 ms.",
    [
      "Both channels (2 secure, 3 plain): about 6.4 ms",
      "The secure channel alone: about 6.1 ms",
      "Both channels are faster however much is classified",
      "The gateway tries this once to measure how long it takes",
    ],
  ],
  [
    "secure-only, for the plain channel failed, 1, about 12 ms; sieve about 7.0 ms; a part that is new here",
    "The plain channel failed before, so everything uses the secure channel. This should take about 12 ms.",
    ["The secure channel alone: about 12 ms", "Both channels: about 7.0 ms", "a part that is new here"],
  ],
  ["something that is new here", "Something that is new here.", []],
])("%s", (reason, summary, figures) => {
  expect(estimateOf(reason)).toEqual({ summary, figures });
});
