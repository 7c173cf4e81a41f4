/**
 * Areas of a page. Pure. Addresses are as docs/formats.md says: `page/1/area/LEFT,TOP-RIGHT,BOTTOM`, in whole pixels of a
 * picture, or whole points of a page of a PDF.
 */
import type { Mark } from "@/api/files";

export interface Area {
  readonly left: number;
  readonly top: number;
  /** Without its own column. */
  readonly right: number;
  /** Without its own row. */
  readonly bottom: number;
}

/** Width and height of a page: whole pixels of a picture, or points of a PDF, which may have fractions. */
export type Size = readonly [number, number];

interface Point {
  readonly x: number;
  readonly y: number;
}

const AREA = /^page\/(\d+)\/area\/(\d+),(\d+)-(\d+),(\d+)$/;

export function addressOfArea(page: number, { left, top, right, bottom }: Area): string {
  return `page/${page}/area/${left},${top}-${right},${bottom}`;
}

/** The areas that are marked on a page, each once. */
export function areasOf(marks: readonly Mark[], page: number): readonly { address: string; area: Area }[] {
  const found = new Map<string, Area>();
  for (const { address } of marks) {
    const [, there, ...numbers] = AREA.exec(address) ?? [];
    const [left = 0, top = 0, right = 0, bottom = 0] = numbers.map(Number);
    if (there === String(page)) found.set(address, { left, top, right, bottom });
  }
  return [...found].map(([address, area]) => ({ address, area }));
}

/** The area between two corners, given as fractions of the page, out to whole numbers; null if it is empty. */
export function areaBetween(one: Point, other: Point, [width, height]: Size): Area | null {
  const across = [one.x, other.x].map((x) => clamped(x) * width).toSorted((a, b) => a - b);
  const down = [one.y, other.y].map((y) => clamped(y) * height).toSorted((a, b) => a - b);
  const [left = 0, right = 0] = [Math.floor(across[0] ?? 0), Math.ceil(across[1] ?? 0)];
  const [top = 0, bottom = 0] = [Math.floor(down[0] ?? 0), Math.ceil(down[1] ?? 0)];
  return left < right && top < bottom ? { left, top, right, bottom } : null;
}

/** The area that left, top, width and height describe, as typed; null if it is not within the page. */
export function areaTyped(numbers: readonly string[], size: Size): Area | null {
  const [width, height] = wholeSize(size);
  if (numbers.length !== 4 || !numbers.every((typed) => /^\d{1,6}$/.test(typed.trim()))) return null;
  const [left = 0, top = 0, across = 0, down = 0] = numbers.map(Number);
  const area = { left, top, right: left + across, bottom: top + down };
  return across > 0 && down > 0 && area.right <= width && area.bottom <= height ? area : null;
}

/** The numbers that an area may have: up to the page's size, rounded up. */
export function wholeSize([width, height]: Size): Size {
  return [Math.ceil(width), Math.ceil(height)];
}

function clamped(fraction: number): number {
  return Math.min(1, Math.max(0, fraction));
}
