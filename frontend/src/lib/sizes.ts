import { plural, t } from "@lingui/core/macro";
import { numberText } from "./numbers";

const UNITS = [
  (size: string) => t`${size} KB`,
  (size: string) => t`${size} MB`,
  (size: string) => t`${size} GB`,
  (size: string) => t`${size} TB`,
];

/** A size for people, in powers of 1000: `1 byte`, `41.3 KB`, `10 MB`. */
export function sizeText(bytes: number): string {
  if (Math.abs(bytes) < 1000) return bytesText(bytes);
  let value = bytes / 1000;
  let unit = 0;
  // 999.5 KB would be written 1000 KB, so it becomes 1 MB.
  while (Math.abs(value) >= 999.5 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const digits = Math.abs(value) >= 99.95 ? 0 : 1;
  return (UNITS[unit] as (typeof UNITS)[number])(numberText(Number(value.toFixed(digits))));
}

/** The exact size: `1,200 bytes`. */
export function bytesText(bytes: number): string {
  return plural(bytes, { one: "# byte", other: "# bytes" });
}
