import { expect, it } from "vitest";
import type { TimingsPoints } from "@/api/timings";
import { nearestRow, panned, positionsOf, rowsToDraw, slowestFirst, type View, wholeView, zoomed } from "./points";

type Share = TimingsPoints["share"][number];

/** Transfers of size, class of the share classified, response and mode. */
function points(...rows: [size: number, share: Share, response: number, mode: string][]): TimingsPoints {
  return {
    of: rows.length,
    count: rows.length,
    transfer_id: rows.map((_, row) => `t${row}`),
    direction: rows.map(() => "sent"),
    at: rows.map(() => "2026-11-23T10:00:00Z"),
    size: rows.map(([size]) => size),
    share: rows.map(([, share]) => share),
    response_ms: rows.map(([, , response]) => response),
    mode: rows.map(([, , , mode]) => mode),
  };
}

const THREE = points([1000, "10", 10, "sieve"], [100_000, "75", 1000, "secure-only"], [0, "0", 0, "sieve"]);

it("places points by the logarithm of size and response; what is 0 has the least place", () => {
  const { x, y } = positionsOf(THREE, "size");
  expect([...x]).toEqual([3, 5, 0]);
  expect([...y]).toEqual([1, 3, -2]);
  const [low = 0, high = 0, none] = positionsOf(THREE, "share").x;
  expect([low > 0 && low < 0.1, high > 0.5 && high < 0.75, none]).toEqual([true, true, 0]);
});

it("shows every point, with a margin, and a single one in the middle", () => {
  const whole = wholeView(positionsOf(THREE, "size"), "size");
  expect(whole).toEqual({ x: [-0.2, 5.2], y: [-2.2, 3.2] });
  const one = positionsOf(points([1000, "0", 10, "sieve"]), "share");
  expect(wholeView(one, "share")).toEqual({ x: [-0.04, 1.04], y: [0.5, 1.5] });
  expect(wholeView(positionsOf(points(), "size"), "size").y).toEqual([-0.04, 1.04]);
});

const WHOLE: View = { x: [0, 8], y: [-2, 2] };

it("zooms around a place that stays, and never beyond the whole", () => {
  const near = zoomed(WHOLE, 0.5, WHOLE, { x: 0.25, y: 1 });
  expect(near).toEqual({ x: [1, 5], y: [0, 2] });
  expect(zoomed(near, 4, WHOLE)).toEqual(WHOLE);
  expect(zoomed(WHOLE, 0, WHOLE).x).toEqual([3.996, 4.004]);
});

it("pans up to the edge", () => {
  const view: View = { x: [2, 4], y: [1, 2] };
  expect(panned(view, { x: 0.5, y: 0.5 }, WHOLE)).toEqual({ x: [3, 5], y: [1, 2] });
  expect(panned(view, { x: -9, y: -1 }, WHOLE)).toEqual({ x: [0, 2], y: [0, 1] });
});

it("finds the point under the pointer, and none far from all", () => {
  const positions = positionsOf(THREE, "size");
  const view = { x: [0, 10], y: [-5, 5] } as const;
  const size = { width: 100, height: 100 };
  expect(nearestRow(positions, view, size, { left: 31, top: 41 }, 8)).toBe(0);
  expect(nearestRow(positions, view, size, { left: 51, top: 20 }, 8)).toBe(1);
  expect(nearestRow(positions, view, size, { left: 80, top: 80 }, 8)).toBeNull();
});

it("lists what is in view, the slowest first", () => {
  const positions = positionsOf(THREE, "size");
  expect(slowestFirst(positions, { x: [0, 6], y: [-5, 5] })).toEqual([1, 0, 2]);
  expect(slowestFirst(positions, { x: [2, 4], y: [-5, 5] })).toEqual([0]);
});

it("draws one of the points that share a place, and none outside the view", () => {
  const near = points([10, "0", 10, "sieve"], [10.1, "0", 10, "secure-only"], [1000, "0", 1000, "sieve"]);
  const positions = positionsOf(near, "size");
  const size = { width: 40, height: 40 };
  expect([...rowsToDraw(positions, { x: [0, 4], y: [0, 4] }, size, 10)]).toEqual([0, 2]);
  expect([...rowsToDraw(positions, { x: [0.5, 2.5], y: [0, 4] }, size, 0.01)]).toEqual([0, 1]);
});
