/** Where charts put their ticks, and what is written beside them. */
import { t } from "@lingui/core/macro";
import { durationText } from "@/lib/durations";
import { clockText, dayText } from "@/lib/times";

const DAY_S = 86_400;
const LEADING = [[1, 2, 3, 4, 5, 6, 7, 8, 9], [1, 2, 5], [1]] as const;

/** Two ticks may be nearer to each other than the axis divided by the number of ticks that it has room for: this much. */
const NEAREST = 2 / 3;

/**
 * Round values from `min` to `max` for a logarithmic axis, at most `most` of them and none so near to another that their
 * labels overlap, and the two ends if there are none.
 */
export function logTicks(min: number, max: number, most: number): number[] {
  const first = Math.floor(Math.log10(min));
  const last = Math.ceil(Math.log10(max));
  for (const leading of LEADING) {
    const ticks = decades(first, last, 1).flatMap((power) => leading.map((digit) => roundValue(digit, power)));
    const inside = ticks.filter((tick) => tick >= min && tick <= max);
    if (inside.length === 0) return [min, max];
    if (inside.length <= most && areApart(inside, (NEAREST * Math.log10(max / min)) / most)) return inside;
  }
  const step = Math.ceil((last - first + 1) / most);
  return decades(first, last, step)
    .map((power) => roundValue(1, power))
    .filter((tick) => tick >= min && tick <= max);
}

/** Times on an axis in the reader's time zone, with the day where it changes. `incr`: the seconds between two of them. */
export function timeLabels(splits: readonly number[], incr: number): string[] {
  let before = "";
  return splits.map((split) => {
    const at = new Date(split * 1000);
    const day = dayText(at);
    if (incr >= DAY_S) return day;
    const time = clockText(at, incr < 60);
    const text = day === before ? time : `${time}\n${day}`;
    before = day;
    return text;
  });
}

export function durationLabels(splits: readonly (number | null)[]): string[] {
  return splits.map((ms) => (ms === null ? "" : durationText(ms)));
}

/** `21 Nov, 13:00 to 13:05`. `widthS`: how long it is. */
export function periodText(at: string, widthS: number): string {
  const from = new Date(at);
  const to = new Date(from.getTime() + widthS * 1000);
  if (widthS >= DAY_S) {
    const days = Math.round(widthS / DAY_S);
    return days === 1 ? dayText(from) : t`${dayText(from)} to ${dayText(new Date(to.getTime() - 1))}`;
  }
  return t`${dayText(from)}, ${clockText(from)} to ${clockText(to)}`;
}

/** Whether neighbours are at least so many decades apart. */
function areApart(ticks: readonly number[], least: number): boolean {
  return ticks.every((tick, index) => index === 0 || Math.log10(tick / (ticks[index - 1] ?? tick)) >= least);
}

function decades(first: number, last: number, step: number): number[] {
  return Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, index) => first + index * step);
}

/** Without the rounding error of a product with a power below one. */
function roundValue(digit: number, power: number): number {
  return Number(`${digit}e${power}`);
}
