/** Ranges of bytes of a file that is not understood: `bytes/FROM-TO`, without byte TO. */
import { t } from "@lingui/core/macro";
import type { Mark } from "@/api/files";
import { numberText } from "@/lib/numbers";
import { type Place, whole } from "./marks";

export interface Bytes {
  readonly from: number;
  readonly to: number;
}

export function placeOfBytes({ from, to }: Bytes): Place {
  return whole(`bytes/${from}-${to}`);
}

/** The bytes that an address names; null if it names something else. */
export function bytesOf(address: string): Bytes | null {
  const [, from, to] = /^bytes\/(\d+)-(\d+)$/.exec(address) ?? [];
  return from === undefined || to === undefined ? null : { from: Number(from), to: Number(to) };
}

/** The classified ranges of the file, in order, without overlaps. */
export function rangesOfBytes(marks: readonly Mark[]): readonly Bytes[] {
  const all = marks.map(({ address }) => bytesOf(address)).filter((range) => range !== null);
  const merged: Bytes[] = [];
  for (const range of all.toSorted((one, other) => one.from - other.from)) {
    const last = merged.at(-1);
    if (last && range.from <= last.to) merged[merged.length - 1] = { from: last.from, to: Math.max(last.to, range.to) };
    else merged.push(range);
  }
  return merged;
}

/** A number as people type it: digits, with separators if they like, or 0x and hexadecimal ones. Null if it is none. */
export function numberOf(typed: string): number | null {
  const text = typed.replace(/[\s,_']/g, "");
  if (!/^(\d{1,15}|0[xX][0-9a-fA-F]{1,12})$/.test(text)) return null;
  return Number(text);
}

/** The errors in a range of a file of `size` bytes, by field; both null if there is none. */
export function faultsOf(from: string, to: string, size: number): { from: string | null; to: string | null } {
  const first = numberOf(from);
  const behind = numberOf(to);
  const most = numberText(size);
  return {
    from:
      first === null
        ? t`Enter a whole number, such as 100 or 0x64.`
        : first >= size
          ? t`The file has bytes 0 to ${{ last: numberText(size - 1) }}.`
          : null,
    to:
      behind === null
        ? t`Enter a whole number, such as 200 or 0xC8.`
        : behind > size
          ? t`The file ends before byte ${most}.`
          : first !== null && behind <= first
            ? t`The end must be after the first byte.`
            : null,
  };
}
