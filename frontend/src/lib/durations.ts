import { plural, t } from "@lingui/core/macro";
import { numberText } from "./numbers";

/** Milliseconds for people: `0.42 ms`, `12.4 ms`, `1.24 s`, `3 min 5 s`, `20 h 50 min`. */
export function durationText(ms: number): string {
  if (ms < 1) return msText(ms, 2);
  if (ms < 99.95) return msText(ms, 1);
  if (ms < 999.5) return msText(ms, 0);
  if (ms < 59_995) {
    const amount = numberText(Number((ms / 1000).toFixed(2)));
    return t`${amount} s`;
  }
  const allSeconds = Math.round(ms / 1000);
  const allMinutes = Math.floor(allSeconds / 60);
  const seconds = allSeconds % 60;
  if (allMinutes < 60) return t`${allMinutes} min ${seconds} s`;
  const hours = Math.floor(allMinutes / 60);
  const minutes = allMinutes % 60;
  return t`${hours} h ${minutes} min`;
}

function msText(ms: number, digits: number): string {
  const amount = numberText(Number(ms.toFixed(digits)));
  return t`${amount} ms`;
}

const SPANS: readonly (readonly [lengthS: number, text: (count: number) => string])[] = [
  [86_400, (count) => plural(count, { one: "# day", other: "# days" })],
  [3600, (count) => plural(count, { one: "# hour", other: "# hours" })],
  [60, (count) => plural(count, { one: "# minute", other: "# minutes" })],
  [1, (count) => plural(count, { one: "# second", other: "# seconds" })],
];

/** Whole seconds in the longest unit that has them whole: `1 hour`, `3 days`, `90 minutes`. */
export function spanText(seconds: number): string {
  const found = SPANS.find(([lengthS]) => seconds % lengthS === 0);
  return found ? found[1](seconds / found[0]) : durationText(seconds * 1000);
}
