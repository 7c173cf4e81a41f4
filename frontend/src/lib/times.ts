import { t } from "@lingui/core/macro";
import { dateLocale } from "@/i18n/locale";

const STEPS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ["second", 60],
  ["minute", 60],
  ["hour", 24],
  ["day", 7],
  ["week", 4.35],
  ["month", 12],
  ["year", Number.POSITIVE_INFINITY],
];

const RELATIVE = new Intl.RelativeTimeFormat(dateLocale(), { numeric: "auto", style: "long" });
const ABSOLUTE = new Intl.DateTimeFormat(dateLocale(), { dateStyle: "medium", timeStyle: "medium" });

/** `5 minutes ago`, `in 2 days`, and `just now` within ten seconds. */
export function relativeText(at: Date, now: Date): string {
  let value = (at.getTime() - now.getTime()) / 1000;
  if (Math.abs(value) < 10) return t`just now`;
  for (const [unit, size] of STEPS) {
    if (Math.abs(value) < size) return RELATIVE.format(Math.round(value), unit);
    value /= size;
  }
  return absoluteText(at);
}

/** `21 Nov 2026, 13:10:05`, in the reader's time zone. */
export function absoluteText(at: Date): string {
  return ABSOLUTE.format(at);
}

const DAY = new Intl.DateTimeFormat(dateLocale(), { day: "numeric", month: "short" });
const CLOCK = new Intl.DateTimeFormat(dateLocale(), { hour: "2-digit", minute: "2-digit" });
const CLOCK_S = new Intl.DateTimeFormat(dateLocale(), { hour: "2-digit", minute: "2-digit", second: "2-digit" });

/** `21 Nov`, in the reader's time zone. */
export function dayText(at: Date): string {
  return DAY.format(at);
}

/** `13:10`, or with `seconds` `13:10:05`, in the reader's time zone. */
export function clockText(at: Date, seconds = false): string {
  return (seconds ? CLOCK_S : CLOCK).format(at);
}

const DATE = new Intl.DateTimeFormat(dateLocale(), { dateStyle: "medium" });
const MINUTE = new Intl.DateTimeFormat(dateLocale(), { dateStyle: "medium", timeStyle: "short" });

/** `21 Nov 2026`, in the reader's time zone. */
export function dateText(at: Date): string {
  return DATE.format(at);
}

/** `21 Nov 2026, 13:10`, in the reader's time zone. */
export function minuteText(at: Date): string {
  return MINUTE.format(at);
}

/** The beginning of a day ("2026-11-21") in the reader's time zone; undefined if `day` is not a date. */
export function startOfDay(day: string | undefined): Date | undefined {
  if (!day || !/^\d{4}-\d{2}-\d{2}$/.test(day)) return undefined;
  const date = new Date(`${day}T00:00:00`);
  return Number.isNaN(date.getTime()) ? undefined : date;
}
