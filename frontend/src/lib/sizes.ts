import { plural, t } from "@lingui/core/macro";
import { numberText } from "./numbers";

const UNITS = [
  { name: t`KB`, text: (size: string) => t`${size} KB` },
  { name: t`MB`, text: (size: string) => t`${size} MB` },
  { name: t`GB`, text: (size: string) => t`${size} GB` },
  { name: t`TB`, text: (size: string) => t`${size} TB` },
] as const;

/** A size for people, in powers of 1000: `1 byte`, `41.3 KB`, `10 MB`. */
export function sizeText(bytes: number): string {
  const power = powerOf(bytes);
  const unit = UNITS[power - 1];
  if (!unit) return bytesText(bytes);
  const value = bytes / 1000 ** power;
  const digits = Math.abs(value) >= 99.95 ? 0 : 1;
  return unit.text(numberText(Number(value.toFixed(digits))));
}

/** The unit in which `sizeText` writes a size: its name, and how many bytes it has. */
export function sizeUnit(bytes: number): { name: string; size: number } {
  const power = powerOf(bytes);
  return { name: UNITS[power - 1]?.name ?? t`bytes`, size: 1000 ** power };
}

/** The power of 1000 that is the unit of a size: 0 for bytes. */
function powerOf(bytes: number): number {
  if (Math.abs(bytes) < 1000) return 0;
  let power = 1;
  // 999.5 KB would be written 1000 KB, so it becomes 1 MB.
  while (Math.abs(bytes) / 1000 ** power >= 999.5 && power < UNITS.length) power += 1;
  return power;
}

/** The exact size: `1,200 bytes`. */
export function bytesText(bytes: number): string {
  return plural(bytes, { one: "# byte", other: "# bytes" });
}
