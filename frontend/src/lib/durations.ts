import { t } from "@lingui/core/macro";
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
