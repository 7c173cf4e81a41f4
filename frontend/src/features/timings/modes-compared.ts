/** Sieve compared with secure-only, as a matrix of size and share classified. */

import { t } from "@lingui/core/macro";
import { saidText } from "@/api/sentence-text";
import type { TimingsModes } from "@/api/timings";
import { numberText } from "@/lib/numbers";
import { percentText } from "@/lib/percent";
import { sentence } from "@/lib/prose";

/**
 * Transfers of one class of size and share. `improvement_percent`: how much shorter the mean response of sieve is;
 * `low` and `high`: its 95 % interval. `enough`: both modes have enough transfers to compare.
 */
export type ModeCell = TimingsModes["cells"][number];

/** `share`: classified, 0 to 1, above which the secure channel alone is faster; null for the `reason`. */
export type BreakEven = TimingsModes["break_even"][number];

/** `unclear`: 0 lies within the interval. `few`: not enough transfers. */
export type Verdict = "sieve" | "secure-only" | "unclear" | "few";

export function verdictOf({ enough, improvement_percent, low, high }: ModeCell): Verdict {
  if (!enough || improvement_percent === null || low === null || high === null) return "few";
  if (low > 0) return "sieve";
  return high < 0 ? "secure-only" : "unclear";
}

export interface ModeMatrix {
  sizes: readonly string[];
  shares: readonly string[];
  at: (size: string, share: string) => ModeCell | undefined;
}

/** The rows and columns that have a cell, in the order of `sizes` and `shares`. */
export function matrixOf(cells: readonly ModeCell[], sizes: readonly string[], shares: readonly string[]): ModeMatrix {
  const byPlace = new Map(cells.map((cell) => [`${cell.size} ${cell.share}`, cell]));
  return {
    sizes: sizes.filter((size) => cells.some((cell) => cell.size === size)),
    shares: shares.filter((share) => cells.some((cell) => cell.share === share)),
    at: (size, share) => byPlace.get(`${size} ${share}`),
  };
}

/** How many cells have each verdict. */
export function countVerdicts(cells: readonly ModeCell[]): Record<Verdict, number> {
  const counts: Record<Verdict, number> = { sieve: 0, "secure-only": 0, unclear: 0, few: 0 };
  for (const cell of cells) counts[verdictOf(cell)] += 1;
  return counts;
}

export function breakEvenText({ share, reason, said }: BreakEven): string {
  if (share === null) return reason === null ? t`Not known.` : sentence(saidText(said, reason));
  return percentText(share);
}

/** A percentage with its sign, such as `+34 %` or `−0.4 %`. */
export function signedPercent(percent: number): string {
  const digits = Math.abs(percent) < 9.95 ? 1 : 0;
  const rounded = Number(percent.toFixed(digits));
  if (rounded === 0) return "0 %";
  const figure = numberText(Math.abs(rounded));
  return `${rounded > 0 ? "+" : "−"}${figure} %`;
}

/** A percentage without its sign, such as `34 %` or `0.4 %`. */
export function percentOf(percent: number): string {
  return signedPercent(percent).replace(/^[+−]/, "");
}

/** `+28 to +40 %`. */
export function intervalText(low: number, high: number): string {
  return t`${signedPercent(low).replace(" %", "")} to ${signedPercent(high)}`;
}
