/** The range and the filters of the page, as they are in its address. */
import type { TimingFigure, TimingsQuery } from "@/api/timings";
import { withoutEmpty } from "@/lib/without-empty";
import { wishIn, wishText } from "./capacity";
import { BATCH_CLASSES, SHARE_CLASSES, SIZE_CLASSES } from "./classes";
import { hiddenIn, hiddenText } from "./phases";
import { viewIn, viewText } from "./points";

/** Ranges that end now, the shortest first. */
export const RANGES = ["1h", "24h", "7d", "30d"] as const;
export type Range = (typeof RANGES)[number];

export const RANGE_S: Record<Range, number> = { "1h": 3600, "24h": 86_400, "7d": 7 * 86_400, "30d": 30 * 86_400 };

export const FIGURES = ["response", "total", "stored", "waiting"] as const satisfies readonly TimingFigure[];

/** By what phases are divided, and what is across from the response of each transfer; the first is the default. */
export const PHASES_BY = ["size", "share", "peer", "mode"] as const;
export const POINTS_ACROSS = ["size", "share"] as const;

/** The values of each filter that has a fixed set. */
export const FILTER_VALUES = {
  direction: ["sent", "received"],
  mode: ["sieve", "secure-only", "auto"],
  size: SIZE_CLASSES,
  share: SHARE_CLASSES,
  batch: BATCH_CLASSES,
  outcome: ["delivered", "retry", "failed", "cancelled"],
} as const;

export const FILTERS = [
  "direction",
  "peer",
  "mode",
  "size",
  "share",
  "channels",
  "suite",
  "batch",
  "outcome",
] as const satisfies readonly (keyof TimingsQuery)[];
export type FilterName = (typeof FILTERS)[number];

export type Filters = Partial<Record<FilterName, string>>;

/**
 * `range`, or else `since` and perhaps `until` (ISO 8601; now if missing), or else neither. `hidden`: phases that are left
 * out. `zoom`: the part of the points that is shown. `if`: what the sliders of the capacity ask about.
 */
export interface TimingsSearch extends Filters {
  range?: Range;
  since?: string;
  until?: string;
  figure?: TimingFigure;
  phases?: (typeof PHASES_BY)[number];
  hidden?: string;
  points?: (typeof POINTS_ACROSS)[number];
  zoom?: string;
  if?: string;
}

/** Reads an address. Invalid values are left out. */
export function timingsSearch(raw: Record<string, unknown>): TimingsSearch {
  return withoutEmpty({
    ...rangeIn(raw),
    ...filtersIn(raw),
    figure: notFirst(FIGURES, raw.figure),
    phases: notFirst(PHASES_BY, raw.phases),
    hidden: hiddenText(hiddenIn(textIn(raw.hidden))),
    points: notFirst(POINTS_ACROSS, raw.points),
    zoom: viewText(viewIn(textIn(raw.zoom))),
    if: wishText(wishIn(textIn(raw.if))),
  });
}

/** The range and the filters alone: figures depend on nothing else of the view. */
export function figuresOf(search: TimingsSearch): TimingsSearch {
  const names = ["range", "since", "until", ...FILTERS] as const;
  return withoutEmpty(Object.fromEntries(names.map((name) => [name, search[name]])));
}

/** The range and the filters as the API takes them, of a page that is shown at `nowMs`. */
export function queryOf(search: TimingsSearch, nowMs: number): TimingsQuery {
  const filters = Object.fromEntries(FILTERS.map((name) => [name, search[name]])) as Filters;
  return { ...spanOf(search, nowMs), ...withoutEmpty(filters) };
}

/**
 * The span of time that is shown at `nowMs`: to the minute, so that all panels ask for the same one. Of a range that
 * begins in the future, its first minute.
 */
export function spanOf(
  { range = "24h", since, until }: TimingsSearch,
  nowMs: number,
): { since: string; until: string } {
  const soonest = since === undefined ? 0 : Date.parse(since) + 60_000;
  const end = until ?? isoOf(Math.max(Math.ceil(nowMs / 60_000) * 60_000, soonest));
  return { since: since ?? isoOf(Date.parse(end) - RANGE_S[range] * 1000), until: end };
}

/** `2026-11-23T06:00:00Z`. */
export function isoOf(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** How many filters are set. */
export function countFilters(search: TimingsSearch): number {
  return FILTERS.filter((name) => search[name] !== undefined).length;
}

function rangeIn(raw: Record<string, unknown>): Pick<TimingsSearch, "range" | "since" | "until"> {
  const since = timeIn(raw.since);
  const until = timeIn(raw.until);
  if (since !== undefined && (until === undefined || since < until)) {
    return { since: isoOf(since), ...(until !== undefined && { until: isoOf(until) }) };
  }
  const range = oneOf(RANGES, raw.range);
  return range ? { range } : {};
}

/** Secure and plain ones. */
const CHANNELS = /^\d{1,2}\+\d{1,2}$/;

function filtersIn(raw: Record<string, unknown>): Filters {
  const found: Filters = {};
  for (const name of FILTERS) {
    const value = textIn(raw[name]);
    const values: readonly string[] | undefined = (FILTER_VALUES as Partial<Record<FilterName, readonly string[]>>)[
      name
    ];
    // A plus sign that was typed into the address is read as a space.
    const meant = name === "channels" || name === "batch" ? value?.replace(" ", "+") : value;
    if (!meant || (values && !values.includes(meant))) continue;
    if (name !== "channels" || CHANNELS.test(meant)) found[name] = meant;
  }
  return found;
}

/** The value that `raw` names, unless it is the default. */
export function notFirst<Value extends string>(values: readonly Value[], raw: unknown): Value | undefined {
  return oneOf(values.slice(1), raw);
}

function oneOf<Value extends string>(values: readonly Value[], raw: unknown): Value | undefined {
  return values.find((value) => value === raw);
}

function textIn(raw: unknown): string | undefined {
  return typeof raw === "string" && raw !== "" ? raw : undefined;
}

/** Milliseconds since 1970, for years of four digits. */
function timeIn(raw: unknown): number | undefined {
  const ms = typeof raw === "string" && /^\d{4}-\d\d-\d\dT/.test(raw) ? Date.parse(raw) : Number.NaN;
  return Number.isNaN(ms) || ms < 0 ? undefined : ms;
}
