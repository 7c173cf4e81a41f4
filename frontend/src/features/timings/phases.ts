/** The phases of a transfer as stacked bars. docs/architecture.md (Timing) defines each figure. */
import { t } from "@lingui/core/macro";
import type { TimedPhase, TimingsPhases } from "@/api/timings";

export const PHASES = [
  { id: "waiting", label: t`Waiting`, means: t`In this gateway’s queue, before the attempt that delivered it` },
  { id: "sieve", label: t`Sieve`, means: t`Separating classified from plain content when the document was saved` },
  { id: "split", label: t`Split`, means: t`Making the plan and keys of the attempt` },
  { id: "establishment", label: t`Establishment`, means: t`Opening the channels; 0 if they were still open` },
  {
    id: "data_transfer",
    label: t`Data transfer`,
    means: t`From the first byte sent until the peer confirmed that it has every byte`,
  },
  { id: "combine", label: t`Combine`, means: t`At the peer: putting the pieces of each channel in place` },
  {
    id: "integrate",
    label: t`Integrate`,
    means: t`At the peer: reading the document in order and computing its digest`,
  },
  { id: "storing", label: t`Storing`, means: t`At the peer: verifying the document and writing it to disk` },
] as const satisfies readonly { id: TimedPhase; label: string; means: string }[];

type Group = TimingsPhases["groups"][number];

export interface PhasePart {
  id: TimedPhase;
  label: string;
  ms: number;
  /** Of all phases that are shown, 0 to 1. */
  share: number;
}

export interface PhaseBar {
  key: string;
  label: string;
  count: number;
  /** The sum of the phases that are shown. */
  totalMs: number;
  /** Of the longest bar, 0 to 1. */
  length: number;
  parts: readonly PhasePart[];
}

/** A bar for each group, without the phases in `hidden`. */
export function barsOf(groups: readonly Group[], hidden: ReadonlySet<TimedPhase> = new Set()): PhaseBar[] {
  const shown = PHASES.filter(({ id }) => !hidden.has(id));
  const totals = groups.map(({ mean_ms }) => shown.reduce((sum, { id }) => sum + mean_ms[id], 0));
  const longest = Math.max(...totals, 0);
  return groups.map(({ key, label, count, mean_ms }, index) => {
    const totalMs = totals[index] ?? 0;
    return {
      key,
      label,
      count,
      totalMs,
      length: longest > 0 ? totalMs / longest : 0,
      parts: shown
        .filter(({ id }) => mean_ms[id] > 0)
        .map(({ id, label: name }) => ({ id, label: name, ms: mean_ms[id], share: mean_ms[id] / totalMs })),
    };
  });
}

/** The phase that takes the most time over all groups, and its share of what is shown (0 to 1). Null without any time. */
export function longestPhase(
  groups: readonly Group[],
  hidden: ReadonlySet<TimedPhase> = new Set(),
): { label: string; share: number } | null {
  let longest = { label: "", ms: 0 };
  let total = 0;
  for (const { id, label } of PHASES) {
    if (hidden.has(id)) continue;
    const ms = groups.reduce((sum, { count, mean_ms }) => sum + count * mean_ms[id], 0);
    if (ms > longest.ms) longest = { label, ms };
    total += ms;
  }
  return total > 0 ? { label: longest.label, share: longest.ms / total } : null;
}

/** Phases that an address leaves out, such as `waiting.storing`. */
export function hiddenIn(text: string | undefined): ReadonlySet<TimedPhase> {
  const names = text?.split(".") ?? [];
  return new Set(PHASES.map(({ id }) => id).filter((id) => names.includes(id)));
}

/** The text that `hiddenIn` reads; none if no phase is hidden. */
export function hiddenText(hidden: ReadonlySet<TimedPhase>): string | undefined {
  return [...hidden].join(".") || undefined;
}
