const UNITS = ["bytes", "KB", "MB", "GB", "TB"] as const;

/** A size for people, in powers of 1000: `1 byte`, `41.3 KB`, `10 MB`. */
export function sizeText(bytes: number): string {
  if (bytes === 1) return "1 byte";
  let value = bytes;
  let unit = 0;
  // 999.5 KB would be written 1000 KB, so it goes on to 1 MB.
  while (Math.abs(value) >= (unit === 0 ? 1000 : 999.5) && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const digits = unit === 0 || Math.abs(value) >= 99.95 ? 0 : 1;
  return `${Number(value.toFixed(digits)).toLocaleString("en")} ${UNITS[unit]}`;
}
