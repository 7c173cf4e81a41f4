/** The load that the gateway can carry: curves of response by arrival rate, and what is asked about. */
import { t } from "@lingui/core/macro";
import type { TimingsCapacity } from "@/api/timings";
import type { Point } from "@/components/charts/aligned";
import { absoluteText } from "@/lib/times";
import { rateText } from "./queue";

/** What the sliders ask about; what is missing is as measured. Rates are per second, the share is 0 to 1. */
export interface Wish {
  rate?: number;
  document_bytes?: number;
  classified_share?: number;
  documents?: number;
  secure_channels?: number;
  plain_channels?: number;
  send_mode?: "sieve" | "secure-only";
}

export const MODEL_NAME: Readonly<Record<TimingsCapacity["models"][number]["name"], string>> = {
  "single-server": t`One server`,
  "several-servers": t`The best number of servers`,
};

/** The model that fits better, if any. */
export function chosenModel({ models, chosen }: TimingsCapacity): TimingsCapacity["models"][number] | undefined {
  return models.find(({ name }) => name === chosen);
}

export const HOUR_S = 3600;

type Load = TimingsCapacity["load"];

/** In which hour most transfers ended; of long ago, in which day. Empty if none ended, or if the range was busier. */
export function busiestText(load: Load): string {
  const { busiest_per_s, busiest_span_s, busiest_so_far, busiest_at } = load;
  if (busiest_at === null || !isBusiest(load)) return "";
  const [at, rate] = [absoluteText(new Date(busiest_at)), rateText(busiest_per_s)];
  if (busiest_so_far) {
    return busiest_span_s > HOUR_S
      ? t`The current day is the busiest: it began on ${at}, and has ${rate} so far.`
      : t`The current hour is the busiest: it began on ${at}, and has ${rate} so far.`;
  }
  return busiest_span_s > HOUR_S
    ? t`The busiest day, which began on ${at}, had ${rate}.`
    : t`The busiest hour, which began on ${at}, had ${rate}.`;
}

/** Whether an hour or day was busiest: a short time range may be busier than the whole hours that it touches. */
export function isBusiest({ busiest_per_s, rate_per_s }: Load): boolean {
  return busiest_per_s >= rate_per_s;
}

/** The highest load: that of the busiest hour or day, or the average of a time range that was busier. */
export function highestLoad(load: Load): { name: string; perSecond: number } {
  if (!isBusiest(load)) return { name: t`Average load`, perSecond: load.rate_per_s };
  return { name: load.busiest_span_s > HOUR_S ? t`Busiest day` : t`Busiest hour`, perSecond: load.busiest_per_s };
}

/** The rates from the lowest measured one to a little beyond the highest at which something saturates. */
export function rateLimits(capacity: TimingsCapacity): [from: number, to: number] {
  const { measured, models, curves, load, asked } = capacity;
  const saturations = [...models, ...curves].flatMap(({ saturation_per_s: rate }) => rate ?? []);
  const rates = [...measured.map(([rate]) => rate), highestLoad(load).perSecond, asked.rate_per_s].filter(
    (rate) => rate > 0,
  );
  const highest = Math.max(...saturations, ...rates);
  return highest > 0 ? [Math.min(...rates, highest / 10) / 1.5, highest * 1.5] : [0.1, 10];
}

/** The response on a curve at `rate`, between its two nearest points; null beyond its end. */
export function responseAt(points: readonly Point[], rate: number): number | null {
  const next = points.findIndex(([at]) => at >= rate);
  const after = points[next];
  if (!after) return null;
  const before = points[next - 1] ?? after;
  const part = after[0] > before[0] ? (rate - before[0]) / (after[0] - before[0]) : 1;
  return before[1] + part * (after[1] - before[1]);
}

/** A value with at most three figures, for a field. */
export function rounded(value: number): number {
  return Number(value.toPrecision(3));
}

const STEPS = 1000;

/** Where a value is on a logarithmic slider of 1000 steps. */
export function stepOf(value: number, least: number, most: number): number {
  const part = Math.log(Math.max(value, least) / least) / Math.log(most / least);
  return Math.round(Math.min(part, 1) * STEPS);
}

/** The value at a step of a logarithmic slider. */
export function valueAt(step: number, least: number, most: number): number {
  return rounded(least * (most / least) ** (step / STEPS));
}

/** The least and the most that the sliders ask about. */
export const LIMITS = {
  rate: [0.001, 1000],
  document_bytes: [1000, 1_000_000_000],
  classified_share: [0, 1],
  documents: [1, 20],
  secure_channels: [1, 8],
  plain_channels: [1, 8],
} as const satisfies Partial<Record<keyof Wish, readonly [least: number, most: number]>>;

/** The members of a wish, as an address names them. */
const NAMED = {
  rate: "rate",
  size: "document_bytes",
  share: "classified_share",
  together: "documents",
  secure: "secure_channels",
  plain: "plain_channels",
} as const satisfies Record<string, keyof typeof LIMITS>;
const NAMES = Object.keys(NAMED) as (keyof typeof NAMED)[];

/** What an address asks about, such as `rate-6_size-270000_mode-sieve`. Invalid values are left out. */
export function wishIn(text: string | undefined): Wish {
  const given = new Map<string, string>();
  for (const part of text?.split("_") ?? []) {
    const at = part.indexOf("-");
    given.set(part.slice(0, at), part.slice(at + 1));
  }
  const wish: Wish = {};
  for (const name of NAMES) {
    const value = Number(given.get(name) || Number.NaN);
    const [least, most] = LIMITS[NAMED[name]];
    if (value >= least && value <= most) wish[NAMED[name]] = value;
  }
  const mode = given.get("mode");
  if (mode === "sieve" || mode === "secure-only") wish.send_mode = mode;
  return wish;
}

/** The text that `wishIn` reads; none if everything is as measured. */
export function wishText({ send_mode, ...wish }: Wish): string | undefined {
  const parts = NAMES.flatMap((name) => (wish[NAMED[name]] === undefined ? [] : [`${name}-${wish[NAMED[name]]}`]));
  return [...parts, ...(send_mode ? [`mode-${send_mode}`] : [])].join("_") || undefined;
}
