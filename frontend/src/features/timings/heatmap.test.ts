import fc from "fast-check";
import { expect, test } from "vitest";
import {
  anchorOf,
  cellAt,
  cellText,
  firstCell,
  heatmapOf,
  latestFirst,
  legendCounts,
  longestStep,
  nearestCell,
  nextCell,
  opacityOf,
  placeAt,
  withFewerBuckets,
} from "./heatmap";
import { someResponses } from "./timings.fixture";

const map = heatmapOf(someResponses());
const start = Date.parse("2026-11-23T05:00:00Z") / 1000;

test("spans from the first column to the end of the last, and from the lowest to the highest bucket", () => {
  expect(map).toMatchObject({ fromS: start, untilS: start + 900, lowMs: 100, highMs: 160, most: 9 });
  expect(map.at(0, 2)?.count).toBe(4);
  expect(map.at(1, 1)).toBeUndefined();
});

test("a place in the chart is in a column and a bucket", () => {
  expect(placeAt(map, start + 299, 116)).toEqual({ column: 0, bucket: 0 });
  expect(placeAt(map, start + 300, 117)).toEqual({ column: 1, bucket: 1 });
  expect(placeAt(map, start + 899, 160)).toEqual({ column: 2, bucket: 2 });
  expect(placeAt(map, start - 1, 120)).toBeNull();
  expect(placeAt(map, start + 900, 120)).toBeNull();
  expect(placeAt(map, start, 161)).toBeNull();
});

test("a pointer may miss a cell by a little", () => {
  expect(nearestCell(map, { column: 1, bucket: 1 }, 1, 1)).toEqual({ column: 2, bucket: 1, count: 9 });
  expect(nearestCell(map, { column: 2, bucket: 1 }, 0, 0)).toEqual({ column: 2, bucket: 1, count: 9 });
  expect(nearestCell(map, { column: 2, bucket: 3 }, 1, 1)).toBeUndefined();
});

test("arrow keys go from cell to cell over gaps, and stop at the edge", () => {
  const last = firstCell(map);
  expect(last).toEqual({ column: 2, bucket: 1, count: 9 });
  if (!last) return;
  const first = nextCell(map, last, "left");
  expect(first).toMatchObject({ column: 0 });
  expect(nextCell(map, { column: 0, bucket: 0, count: 1 }, "up")).toMatchObject({ column: 0, bucket: 2 });
  expect(nextCell(map, { column: 0, bucket: 2, count: 4 }, "down")).toMatchObject({ column: 0, bucket: 0 });
  expect(nextCell(map, last, "right")).toBe(last);
  expect(nextCell(map, last, "up")).toBe(last);
});

test("a cell is found again when an update has shifted the columns and the buckets", () => {
  const cell = { column: 2, bucket: 1, count: 9 };
  const shifted = heatmapOf({
    ...someResponses(),
    columns: ["2026-11-23T05:05:00Z", "2026-11-23T05:10:00Z", "2026-11-23T05:15:00Z"],
    bucket_edges_ms: [85, 100, 117, 137, 160],
    cells: [
      [1, 2, 12],
      [2, 0, 1],
    ],
  });
  expect(cellAt(map, anchorOf(map, cell))).toEqual(cell);
  expect(cellAt(shifted, anchorOf(map, cell))).toEqual({ column: 1, bucket: 2, count: 12 });
  expect(cellAt(shifted, anchorOf(map, { column: 0, bucket: 0, count: 1 }))).toBeUndefined();
});

test("in fewer buckets there are as many transfers, and all buckets are equally high", () => {
  const cell = fc.tuple(fc.nat(3), fc.nat(36), fc.integer({ min: 1, max: 9 }));
  const all = fc.uniqueArray(cell, { minLength: 1, selector: ([column, bucket]) => `${column} ${bucket}` });
  fc.assert(
    fc.property(all, fc.integer({ min: 1, max: 40 }), (cells, most) => {
      const fine = someResponses({
        cells,
        bucket_edges_ms: Array.from({ length: 38 }, (_, edge) => 10 * 1.17 ** edge),
      });
      const wide = withFewerBuckets(fine, most);
      const counted = (of: typeof fine) => {
        const map = heatmapOf(of);
        expect(new Set(map.cells.map(({ column, bucket }) => `${column} ${bucket}`)).size).toBe(map.cells.length);
        return [map.lowMs, map.cells.reduce((sum, { count }) => sum + count, 0)];
      };
      expect(counted(wide)).toEqual(counted(fine));
      expect(wide.bucket_edges_ms.length - 1).toBeLessThanOrEqual(most);
      expect(heatmapOf(wide).highMs).toBeGreaterThanOrEqual(heatmapOf(fine).highMs * (1 - 1e-9));
      const heights = wide.bucket_edges_ms.slice(1).map((edge, at) => Math.log(edge / (wide.bucket_edges_ms[at] ?? 1)));
      expect(Math.max(...heights)).toBeCloseTo(Math.min(...heights), 9);
      // Each cell is within its wider one.
      for (const [column, bucket] of cells) {
        const at = Math.sqrt((fine.bucket_edges_ms[bucket] ?? 0) * (fine.bucket_edges_ms[bucket + 1] ?? 0));
        const [from, to] = [wide.bucket_edges_ms.findLastIndex((edge) => edge <= at), column];
        expect(wide.cells.some(([wideColumn, wideBucket]) => wideColumn === to && wideBucket === from)).toBe(true);
      }
    }),
    { numRuns: 50 },
  );
});

test("a list of cells begins with the latest, and of these with the slowest", () => {
  expect(latestFirst(map).map(({ column, bucket }) => [column, bucket])).toEqual([
    [2, 1],
    [0, 2],
    [0, 0],
  ]);
});

test("a cell in words", () => {
  expect(cellText(map, { column: 2, bucket: 1, count: 1 })).toMatch(/ to .*, 117 ms to 137 ms: 1 transfer$/);
});

test("a higher count is more opaque, one transfer is seen beside a million, and the legend ends at the highest", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1_000_000 }), fc.integer({ min: 1, max: 1_000_000 }), (count, most) => {
      fc.pre(count <= most);
      expect(opacityOf(count, most)).toBeGreaterThan(0.1);
      expect(opacityOf(count, most)).toBeLessThanOrEqual(1);
      if (count > 1) expect(opacityOf(count, most)).toBeGreaterThan(opacityOf(count - 1, most));
      const legend = legendCounts(most);
      expect([legend[0], legend.at(-1)]).toEqual([1, most]);
      expect(legend).toEqual([...new Set(legend)].sort((one, other) => one - other));
    }),
    { numRuns: 50 },
  );
});

const withValuesAt = (columns: readonly number[]) =>
  Array.from({ length: 180 }, (_, column) => (columns.includes(column) ? 100 : null));

test("a line joins columns that are regularly apart, up to an eighth of the chart", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 22 }), fc.nat(21), (step, first) => {
      const columns = Array.from({ length: 7 }, (_, index) => first + index * step);
      expect(longestStep(withValuesAt(columns))).toBeGreaterThanOrEqual(step);
    }),
  );
  expect(longestStep(withValuesAt([0, 100]))).toBe(22.5);
});

test("a line breaks where more than two of full columns are empty", () => {
  const all = Array.from({ length: 180 }, (_, column) => column);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 90 }), fc.integer({ min: 1, max: 80 }), (from, empty) => {
      const filled = all.filter((column) => column < from || column >= from + empty);
      expect(empty + 1 > longestStep(withValuesAt(filled))).toBe(empty > 2);
    }),
  );
});
