/** The queue of transfers and the state of the peers. */

import { t } from "@lingui/core/macro";
import type { TimingsQueue } from "@/api/timings";
import { numberText } from "@/lib/numbers";

/** `breaker_open_until`: nothing is sent to the peer before then. */
export type QueuePeer = TimingsQueue["peers"][number];

/** The peers with problems first: paused, then failing, then those that most transfers wait for, then by name. */
export function worstFirst(peers: readonly QueuePeer[]): QueuePeer[] {
  return [...peers].sort(
    (one, other) =>
      Number(other.breaker_open_until !== null) - Number(one.breaker_open_until !== null) ||
      other.failures - one.failures ||
      other.waiting - one.waiting ||
      one.name.localeCompare(other.name, "en"),
  );
}

/** A rate for people, in the unit in which it is at least 1: `12.3 a second`, `4.5 a minute`, `3 an hour`. */
export function rateText(perSecond: number): string {
  if (perSecond <= 0) return t`none`;
  // 0.9996 a second would be written as 60 a minute, which is 1 a second.
  if (perSecond >= 0.9995) return t`${figure(perSecond)} a second`;
  if (perSecond * 60 >= 0.9995) return t`${figure(perSecond * 60)} a minute`;
  return t`${figure(perSecond * 3600)} an hour`;
}

/** The unit in which `rateText` writes a rate: its name, and how many a second one of it is. */
export function rateUnit(perSecond: number): { name: string; size: number } {
  if (perSecond >= 0.9995) return { name: t`per second`, size: 1 };
  return perSecond * 60 >= 0.9995 ? { name: t`per minute`, size: 1 / 60 } : { name: t`per hour`, size: 1 / 3600 };
}

function figure(value: number): string {
  return numberText(Number(value.toPrecision(3)), { maximumFractionDigits: value < 100 ? 1 : 0 });
}

export type Trend = "empty" | "growing" | "shrinking" | "steady";

/** Whether the queue grows; rates that differ by less than a tenth count as equal. */
export function trendOf(depth: number, inPerSecond: number, outPerSecond: number): Trend {
  if (depth === 0) return "empty";
  if (inPerSecond > outPerSecond * 1.1) return "growing";
  return outPerSecond > inPerSecond * 1.1 ? "shrinking" : "steady";
}
