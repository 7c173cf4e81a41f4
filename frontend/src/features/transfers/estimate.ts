/** The planner's reason (docs/planner.md) in words for people. The law: what this page does not know is told as it is called. */
import { sentence } from "@/lib/prose";

const WORDS: readonly [RegExp, (...found: string[]) => string][] = [
  [
    /^sieve(, as asked)?, (\d+)\+(\d+), about (.+)$/,
    (_, asked = "", secure = "", plain = "", time = "") =>
      `both channels${asked}, ${secure} secure and ${plain} plain, about ${time}`,
  ],
  [
    /^secure-only(, as asked)?, (\d+), about (.+)$/,
    (_, asked = "", secure = "", time = "") =>
      `${secure === "1" ? "the secure channel" : `${secure} secure channels`} alone${asked}, about ${time}`,
  ],
  [/^sieve about (.+)$/, (_, time = "") => `both channels about ${time}`],
  [/^secure-only about (.+)$/, (_, time = "") => `the secure channel alone about ${time}`],
  [/^sieve is quicker at every P$/, () => "both channels are quicker however much is classified"],
  [/^secure-only is quicker at every P$/, () => "the secure channel alone is quicker however little is classified"],
  [
    /^break-even at P = ([\d.]+)$/,
    (_, proportion = "") =>
      `both channels are quicker where at most ${Math.round(Number(proportion) * 100)} % is classified`,
  ],
  [/^tried to learn what it takes$/, () => "this way was tried to learn what it takes"],
];

/** "Both channels, 1 secure and 1 plain, about 7 ms; the secure channel alone about 12 ms; …" */
export function forecastText(reason: string): string {
  return sentence(reason.split("; ").map(inWords).join("; "));
}

function inWords(part: string): string {
  for (const [known, words] of WORDS) {
    const found = known.exec(part);
    if (found) return words(...found);
  }
  return part;
}
