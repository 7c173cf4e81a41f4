/** What the heatmap draws: how often a duration was how long, in columns of time and logarithmic buckets. */
import { plural, t } from "@lingui/core/macro";
import type { TimingsResponses } from "@/api/timings";
import { periodText } from "@/components/charts/axes";
import { durationText } from "@/lib/durations";

export interface HeatCell {
  column: number;
  bucket: number;
  count: number;
}

export interface Heatmap {
  answer: TimingsResponses;
  /** The starts of the columns, in seconds since 1970. */
  startsS: readonly number[];
  fromS: number;
  untilS: number;
  lowMs: number;
  highMs: number;
  /** The highest count of a cell. */
  most: number;
  at: (column: number, bucket: number) => HeatCell | undefined;
  cells: readonly HeatCell[];
}

export function heatmapOf(answer: TimingsResponses): Heatmap {
  const startsS = answer.columns.map((at) => Date.parse(at) / 1000);
  const cells = answer.cells.map(([column, bucket, count]) => ({ column, bucket, count }));
  const byPlace = new Map(cells.map((cell) => [placeOf(cell.column, cell.bucket), cell]));
  return {
    answer,
    startsS,
    fromS: startsS[0] ?? 0,
    untilS: (startsS.at(-1) ?? 0) + answer.width_s,
    lowMs: answer.bucket_edges_ms[0] ?? 1,
    highMs: answer.bucket_edges_ms.at(-1) ?? 2,
    most: cells.reduce((most, { count }) => Math.max(most, count), 0),
    at: (column, bucket) => byPlace.get(placeOf(column, bucket)),
    cells,
  };
}

/**
 * The same durations in at most `most` buckets: neighbours are joined, so that a finger can hit one. All are equally
 * high: the last one goes beyond the durations if it joins fewer.
 */
export function withFewerBuckets(answer: TimingsResponses, most: number): TimingsResponses {
  const buckets = answer.bucket_edges_ms.length - 1;
  const joined = Math.ceil(buckets / most);
  if (joined <= 1) return answer;
  const edges = answer.bucket_edges_ms.filter((_, edge) => edge % joined === 0);
  const [low = 1, next = low] = edges;
  if (buckets % joined > 0) edges.push(((edges.at(-1) ?? low) * next) / low);
  const counts = new Map<string, [column: number, bucket: number, count: number]>();
  for (const [column, bucket, count] of answer.cells) {
    const wide = Math.floor(bucket / joined);
    const place = placeOf(column, wide);
    counts.set(place, [column, wide, (counts.get(place)?.[2] ?? 0) + count]);
  }
  return {
    ...answer,
    bucket_edges_ms: edges,
    cells: [...counts.values()],
  };
}

/** A line goes on over columns without transfers, unless they are more than this part of the chart. */
const LONGEST_GAP = 1 / 8;

/**
 * The farthest apart, in columns, that two neighbours on a line may be: three times as far as usual. So among full
 * columns a line breaks where more than two are empty, and it still joins columns that are regularly far apart.
 */
export function longestStep(values: ArrayLike<number | null | undefined>): number {
  const filled = Array.from(values).flatMap((value, column) => (value == null ? [] : [column]));
  const steps = filled.slice(1).map((column, index) => column - (filled[index] ?? 0));
  const usual = steps.sort((one, other) => one - other)[Math.floor(steps.length / 2)] ?? 1;
  return Math.min(3 * usual, values.length * LONGEST_GAP);
}

/** The opacity of the palest colour: one transfer is seen beside a million. */
const PALEST = 0.14;

/** How opaque the colour of a count is: by its square root, so that low counts differ, too. */
export function opacityOf(count: number, most: number): number {
  return PALEST + (1 - PALEST) * Math.sqrt(Math.min(count, most) / Math.max(most, 1));
}

/** A few counts from 1 to `most` whose colours are evenly apart, for the legend. */
export function legendCounts(most: number): number[] {
  const steps = [0, 0.25, 0.5, 0.75, 1].map((strength) => Math.max(1, Math.round(strength ** 2 * most)));
  return [...new Set(steps)].filter((count) => count <= most);
}

/** The duration between the edges of a bucket, in milliseconds. */
export function edgesOf({ answer }: Heatmap, bucket: number): { lowMs: number; highMs: number } {
  const edges = answer.bucket_edges_ms;
  return { lowMs: edges[bucket] ?? 0, highMs: edges[bucket + 1] ?? 0 };
}

/** The column and the bucket at a place, where no transfer need be; null outside. */
export function placeAt(map: Heatmap, atS: number, ms: number): { column: number; bucket: number } | null {
  const column = map.startsS.findLastIndex((start) => start <= atS);
  const bucket = map.answer.bucket_edges_ms.findLastIndex((edge) => edge <= ms);
  if (column < 0 || bucket < 0 || atS >= map.untilS || ms > map.highMs) return null;
  return { column, bucket: Math.min(bucket, map.answer.bucket_edges_ms.length - 2) };
}

/**
 * The cell with transfers that is next to `place`, at most `columns` and `buckets` away, as far as a pointer may miss;
 * undefined if there is none.
 */
export function nearestCell(
  map: Heatmap,
  place: { column: number; bucket: number },
  columns: number,
  buckets: number,
): HeatCell | undefined {
  const exact = map.at(place.column, place.bucket);
  if (exact) return exact;
  let found: HeatCell | undefined;
  let least = 1;
  for (const cell of map.cells) {
    const across = (cell.column - place.column) / Math.max(columns, 1);
    const up = (cell.bucket - place.bucket) / Math.max(buckets, 1);
    const far = Math.hypot(across, up);
    if (far <= least && (far < least || !found)) {
      found = cell;
      least = far;
    }
  }
  return found;
}

/** The middle of a cell: it finds the cell again after an update, which may shift the columns. */
export interface Anchor {
  atS: number;
  ms: number;
}

export function anchorOf(map: Heatmap, { column, bucket }: HeatCell): Anchor {
  const { lowMs, highMs } = edgesOf(map, bucket);
  return { atS: (map.startsS[column] ?? 0) + map.answer.width_s / 2, ms: Math.sqrt(lowMs * highMs) };
}

export function cellAt(map: Heatmap, { atS, ms }: Anchor): HeatCell | undefined {
  const place = placeAt(map, atS, ms);
  return place ? map.at(place.column, place.bucket) : undefined;
}

export type Direction = "left" | "right" | "up" | "down";

/**
 * The cell with transfers that the arrow key goes to: in the same column the next bucket, else the nearest bucket of the
 * next column. The cell itself at the edge.
 */
export function nextCell(map: Heatmap, from: HeatCell, direction: Direction): HeatCell {
  const sign = direction === "left" || direction === "down" ? -1 : 1;
  const along = direction === "left" || direction === "right" ? "column" : "bucket";
  const across = along === "column" ? "bucket" : "column";
  const others = map.cells.filter((cell) => (cell[along] - from[along]) * sign > 0);
  const inLine = along === "bucket" ? others.filter((cell) => cell.column === from.column) : others;
  const distance = (cell: HeatCell) =>
    Math.abs(cell[along] - from[along]) * 10_000 + Math.abs(cell[across] - from[across]);
  return (
    inLine.reduce<HeatCell | undefined>(
      (best, cell) => (best && distance(best) <= distance(cell) ? best : cell),
      undefined,
    ) ?? from
  );
}

/** The fullest cell of the latest column with transfers. */
export function firstCell(map: Heatmap): HeatCell | undefined {
  const last = map.cells.reduce((most, { column }) => Math.max(most, column), -1);
  return map.cells
    .filter(({ column }) => column === last)
    .reduce<HeatCell | undefined>((best, cell) => (best && best.count >= cell.count ? best : cell), undefined);
}

/** The cells for a list: the latest first, and the slowest first of those at the same time. */
export function latestFirst({ cells }: Heatmap): HeatCell[] {
  return [...cells].sort((one, other) => other.column - one.column || other.bucket - one.bucket);
}

/** `21 Nov, 13:00 to 13:05, 180 ms to 211 ms: 12 transfers`. */
export function cellText(map: Heatmap, { column, bucket, count }: HeatCell): string {
  const { lowMs, highMs } = edgesOf(map, bucket);
  const when = periodText(map.answer.columns[column] ?? "", map.answer.width_s);
  return t`${when}, ${durationText(lowMs)} to ${durationText(highMs)}: ${plural(count, { one: "# transfer", other: "# transfers" })}`;
}

function placeOf(column: number, bucket: number): string {
  return `${column} ${bucket}`;
}
