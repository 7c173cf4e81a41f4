import { t } from "@lingui/core/macro";
/** When the gateway gives up on a transfer, as the author chooses it. */

/** A time span in seconds; the gateway's own (null); or a date and time of this browser's time zone, "" until chosen. */
export type Deadline = { readonly after: number | null } | { readonly at: string };

export const OWN_DEADLINE: Deadline = { after: null };

const HOUR_S = 3600;
const DAY_S = 24 * HOUR_S;
const MOST_S = 366 * DAY_S;

/** The spans that are always offered. */
export const SPANS_S: readonly number[] = [HOUR_S, DAY_S, 3 * DAY_S];

/** What is wrong with the deadline, or null. */
export function faultOf(deadline: Deadline, now: Date): string | null {
  if (!("at" in deadline)) return null;
  const seconds = secondsUntil(deadline.at, now);
  if (Number.isNaN(seconds)) return t`Choose a date and time.`;
  if (seconds <= 0) return t`Choose a time in the future.`;
  return seconds > MOST_S ? t`Choose a time within a year.` : null;
}

/** The seconds from now; null for the gateway's own deadline. */
export function secondsOf(deadline: Deadline, now: Date): number | null {
  return "at" in deadline ? secondsUntil(deadline.at, now) : deadline.after;
}

/** A time as a date and time field has it: "2026-11-24T09:30". */
export function fieldTime(time: Date): string {
  const local = new Date(time.getTime() - time.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}

const secondsUntil = (at: string, now: Date) => (new Date(at).getTime() - now.getTime()) / 1000;
