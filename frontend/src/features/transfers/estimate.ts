/** The planner's reason (docs/planner.md) for people. Invariant: a part that this page does not know is shown unchanged. */
import { sentence } from "@/lib/prose";

export interface Estimate {
  /** What to expect, in one sentence. */
  readonly summary: string;
  /** The figures behind it. */
  readonly figures: readonly string[];
}

const CHOSEN = /^(sieve|secure-only)(?:, (as asked|for the plain channel failed))?, (\d+)(?:\+(\d+))?, about (.+)$/;
const OTHER = /^(sieve|secure-only) about (.+)$/;
const EDGE = /^break-even at P = ([\d.]+)$/;
const TRYING = "tried to learn what it takes";
const FIGURES: Readonly<Record<string, string>> = {
  "sieve is quicker at every P": "Both channels are faster however much is classified",
  "secure-only is quicker at every P": "The secure channel alone is faster however little is classified",
  [TRYING]: "The gateway tries this once to measure how long it takes",
  "nothing was measured there yet": "Nothing has been sent to this gateway yet, so this is a rough estimate",
};

/** "Both channels should be faster: about 7 ms instead of 12 ms.", and the figures. */
export function estimateOf(reason: string): Estimate {
  const [first = "", second = "", ...rest] = reason.split("; ");
  const chosen = CHOSEN.exec(first);
  if (!chosen) return { summary: sentence(reason), figures: [] };
  const [, mode = "", why, secure = "", plain, time = ""] = chosen;
  const other = OTHER.exec(second);
  const counts = plain ? ` (${secure} secure, ${plain} plain)` : secure === "1" ? "" : ` (${secure} channels)`;
  const figures = [
    `${nameOf(mode)}${counts}: about ${time}`,
    ...(other ? [`${nameOf(other[1])}: about ${other[2]}`] : second ? [figureOf(second)] : []),
    ...rest.map(figureOf),
  ];
  return { summary: summaryOf(mode, why, time, rest.includes(TRYING), other?.[2]), figures };
}

function summaryOf(mode: string, why: string | undefined, time: string, trying: boolean, otherTime?: string): string {
  if (why === "as asked") return `Sending should take about ${time}.`;
  if (why)
    return `The plain channel failed before, so everything uses the secure channel. This should take about ${time}.`;
  if (trying) return `${nameOf(mode)}, to measure how long it takes: about ${time}.`;
  if (!otherTime) return `${nameOf(mode)} should take about ${time}.`;
  return otherTime === time
    ? `Both ways should take about ${time}.`
    : `${nameOf(mode)} should be faster: about ${time} instead of ${otherTime}.`;
}

function nameOf(mode: string | undefined): string {
  return mode === "sieve" ? "Both channels" : "The secure channel alone";
}

function figureOf(part: string): string {
  const edge = EDGE.exec(part)?.[1];
  if (edge) return `Both channels are faster if at most ${Math.round(Number(edge) * 100)} % is classified`;
  return FIGURES[part] ?? part;
}
