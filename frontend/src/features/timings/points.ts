/**
 * Transfers as points: size or class of the share classified against response. A position on a logarithmic axis is the
 * base 10 logarithm of the value, so that panning and zooming are linear on every axis.
 */
import type { TimingsPoints } from "@/api/timings";

/** What the horizontal axis shows: the size in bytes (logarithmic), or the share classified, 0 to 1. */
export type PointAxis = "size" | "share";

export type Range = readonly [from: number, to: number];

export interface View {
  x: Range;
  y: Range;
}

/** The positions of all points, in the order of the columns. */
export interface Positions {
  x: Float64Array;
  y: Float64Array;
}

const LEAST_MS = 0.01;
const MARGIN = 0.04;

export function positionsOf(points: TimingsPoints, axis: PointAxis): Positions {
  const x = new Float64Array(points.count);
  const y = new Float64Array(points.count);
  for (let row = 0; row < points.count; row++) {
    const size = points.size[row] ?? 0;
    x[row] = axis === "size" ? Math.log10(Math.max(size, 1)) : shareAt(points.share[row] ?? "0", row);
    y[row] = Math.log10(Math.max(points.response_ms[row] ?? 0, LEAST_MS));
  }
  return { x, y };
}

/** From where to where a class of the share classified goes. */
const SHARES: Readonly<Record<TimingsPoints["share"][number], Range>> = {
  "0": [0, 0],
  "10": [0, 0.1],
  "25": [0.1, 0.25],
  "50": [0.25, 0.5],
  "75": [0.5, 0.75],
  "90": [0.75, 0.9],
  "99": [0.9, 1],
  "100": [1, 1],
};
const GOLDEN = (Math.sqrt(5) - 1) / 2;

/** A share in its class. The gateway says no more than the class, so that points are spread over it. */
function shareAt(share: TimingsPoints["share"][number], row: number): number {
  const [from, to] = SHARES[share];
  return from + (to - from) * ((((row + 1) * GOLDEN) % 1) * 0.9 + 0.05);
}

/** A view of all points, with a margin. */
export function wholeView({ x, y }: Positions, axis: PointAxis): View {
  return { x: axis === "share" ? padded(0, 1) : padded(...extentOf(x)), y: padded(...extentOf(y)) };
}

function extentOf(values: Float64Array): Range {
  let from = Number.POSITIVE_INFINITY;
  let to = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    if (value < from) from = value;
    if (value > to) to = value;
  }
  return from <= to ? [from, to] : [0, 1];
}

function padded(from: number, to: number): Range {
  // Points that all have the same value lie in the middle.
  const margin = to > from ? (to - from) * MARGIN : 0.5;
  return [from - margin, to + margin];
}

const MOST_ZOOMED = 1000;

/** A place in a view, as parts of its width and height from the lower left. */
interface Place {
  x: number;
  y: number;
}

/** `view` made `factor` times as large around a place that stays, at most `whole` and at least a thousandth of it. */
export function zoomed(view: View, factor: number, whole: View, around: Place = { x: 0.5, y: 0.5 }): View {
  return {
    x: zoomedRange(view.x, factor, around.x, whole.x),
    y: zoomedRange(view.y, factor, around.y, whole.y),
  };
}

function zoomedRange(range: Range, factor: number, around: number, whole: Range): Range {
  const length = lengthOf(range);
  const next = Math.min(Math.max(length * factor, lengthOf(whole) / MOST_ZOOMED), lengthOf(whole));
  const from = range[0] + around * (length - next);
  return within([from, from + next], whole);
}

/** `view` moved by parts of its width and height, within `whole`. */
export function panned(view: View, by: Place, whole: View): View {
  return { x: pannedRange(view.x, by.x, whole.x), y: pannedRange(view.y, by.y, whole.y) };
}

function pannedRange(range: Range, part: number, whole: Range): Range {
  const by = lengthOf(range) * part;
  return within([range[0] + by, range[1] + by], whole);
}

function within(range: Range, whole: Range): Range {
  const length = lengthOf(range);
  if (length >= lengthOf(whole)) return whole;
  const from = Math.min(Math.max(range[0], whole[0]), whole[1] - length);
  return [from, from + length];
}

function lengthOf([from, to]: Range): number {
  return to - from;
}

/** The row of the point nearest to a place in a view of that size in pixels, at most `reach` pixels away; else null. */
export function nearestRow(
  { x, y }: Positions,
  view: View,
  size: { width: number; height: number },
  at: { left: number; top: number },
  reach: number,
): number | null {
  const perX = size.width / lengthOf(view.x);
  const perY = size.height / lengthOf(view.y);
  let least = reach * reach;
  let nearest: number | null = null;
  for (let row = 0; row < x.length; row++) {
    const dx = ((x[row] ?? 0) - view.x[0]) * perX - at.left;
    const dy = (view.y[1] - (y[row] ?? 0)) * perY - at.top;
    const distance = dx * dx + dy * dy;
    if (distance <= least) {
      least = distance;
      nearest = row;
    }
  }
  return nearest;
}

/** The rows in view, the slowest first. */
export function slowestFirst({ x, y }: Positions, view: View): number[] {
  const rows: number[] = [];
  for (let row = 0; row < x.length; row++) {
    const [px, py] = [x[row] ?? 0, y[row] ?? 0];
    if (px >= view.x[0] && px <= view.x[1] && py >= view.y[0] && py <= view.y[1]) rows.push(row);
  }
  return rows.sort((one, other) => (y[other] ?? 0) - (y[one] ?? 0));
}

/**
 * The rows to draw in a view of that size: those in view, but only the first of those that share a cell of `cell` x `cell`.
 * Cells stay where they are when the view moves, so that no point comes and goes.
 */
export function rowsToDraw(
  { x, y }: Positions,
  view: View,
  size: { width: number; height: number },
  cell: number,
): Uint32Array {
  const perX = size.width / lengthOf(view.x) / cell;
  const perY = size.height / lengthOf(view.y) / cell;
  const [left, right, bottom, top] = [view.x[0], view.x[1], view.y[0], view.y[1]];
  const [firstColumn, firstLine] = [Math.floor(left * perX), Math.floor(bottom * perY)];
  const columns = Math.floor(right * perX) - firstColumn + 1;
  const taken = new Uint8Array(columns * (Math.floor(top * perY) - firstLine + 1));
  const rows = new Uint32Array(x.length);
  let count = 0;
  for (let row = 0; row < x.length; row++) {
    const [px, py] = [x[row] ?? 0, y[row] ?? 0];
    if (px < left || px > right || py < bottom || py > top) continue;
    const place = (Math.floor(py * perY) - firstLine) * columns + Math.floor(px * perX) - firstColumn;
    if (taken[place]) continue;
    taken[place] = 1;
    rows[count] = row;
    count += 1;
  }
  return rows.subarray(0, count);
}

const DIGITS = 6;
const LEAST_LENGTH = 1e-5;

/** A view in an address, such as `2.1_3.4_0.5_1.25`: its x range and its y range. */
export function viewIn(text: string | undefined): View | null {
  const [left, right, bottom, top, ...more] = text?.split("_").map(Number) ?? [];
  if (left === undefined || right === undefined || bottom === undefined || top === undefined || more.length)
    return null;
  return right - left >= LEAST_LENGTH &&
    top - bottom >= LEAST_LENGTH &&
    [left, right, bottom, top].every(Number.isFinite)
    ? { x: [left, right], y: [bottom, top] }
    : null;
}

/** The text that `viewIn` reads; none for the whole view. */
export function viewText(view: View | null): string | undefined {
  return view ? [...view.x, ...view.y].map((at) => String(Number(at.toFixed(DIGITS)))).join("_") : undefined;
}
