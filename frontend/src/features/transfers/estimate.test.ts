import { expect, it } from "vitest";
import { forecastText } from "./estimate";

it.each([
  [
    "sieve, 1+1, about 7.0 ms; secure-only about 12 ms; break-even at P = 0.93",
    "Both channels, 1 secure and 1 plain, about 7.0 ms; the secure channel alone about 12 ms; both channels are quicker where at most 93 % is classified.",
  ],
  [
    "secure-only, as asked, 3, about 8.1 s; sieve about 8.9 s; secure-only is quicker at every P; nothing was measured there yet",
    "3 secure channels alone, as asked, about 8.1 s; both channels about 8.9 s; the secure channel alone is quicker however little is classified; nothing was measured there yet.",
  ],
  [
    "sieve, as asked, 2+3, about 6.4 ms; sieve is quicker at every P; tried to learn what it takes",
    "Both channels, as asked, 2 secure and 3 plain, about 6.4 ms; both channels are quicker however much is classified; this way was tried to learn what it takes.",
  ],
  ["something that is new here", "Something that is new here."],
])("%s", (reason, text) => {
  expect(forecastText(reason)).toBe(text);
});
