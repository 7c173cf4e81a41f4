import { useNavigate } from "@tanstack/react-router";
import { type KeyboardEvent, type PointerEvent, useEffect, useEffectEvent, useMemo, useRef, useState } from "react";
import type uPlot from "uplot";
import type { TimingsPoints } from "@/api/timings";
import { modeName } from "@/features/transfers/modes";
import { durationText } from "@/lib/durations";
import { percentText } from "@/lib/percent";
import { sizeText } from "@/lib/sizes";
import { absoluteText } from "@/lib/times";
import { logTicks } from "./axes";
import { axis as axisOf, Chart, type ChartOptions, durationAxis } from "./Chart";
import type { Look } from "./look";
import {
  cellsOf,
  nearestRow,
  ofMode,
  type PointAxis,
  type Positions,
  panned,
  shareOf,
  type View,
  zoomed,
} from "./points";

interface PointChartProps {
  points: TimingsPoints;
  positions: Positions;
  axis: PointAxis;
  view: View;
  whole: View;
  onView: (view: View) => void;
}

const HEIGHT = 380;
const RADIUS_PX = 3;
/** Points nearer to each other than this are drawn as one. */
const CELL_PX = 2;
const MOUSE_REACH_PX = 10;
const FINGER_REACH_PX = 24;
const STILL_PX = 4;

/** The points on a canvas. They move with the pointer and the arrow keys, and open their transfers. */
export function PointChart({ points, positions, axis, view, whole, onView }: PointChartProps) {
  // The options read it, so that a new view needs no new chart.
  const shown = useRef(view);
  const options = useMemo(() => (look: Look) => optionsOf(look, axis, shown), [axis]);
  const data = useMemo(() => {
    const facets = MODES.map((mode) => ofMode(points, positions, mode)).map(({ x, y }) => [x, y]);
    // Its types know no data with different x values for each series.
    return [null, ...facets] as unknown as uPlot.AlignedData;
  }, [points, positions]);
  return (
    <Chart
      label={`${points.count.toLocaleString("en")} transfers by ${axis === "size" ? "size" : "share classified"} and response`}
      data={data}
      options={options}
      height={HEIGHT}
    >
      {(plot) => (
        <Surface
          plot={plot}
          shown={shown}
          points={points}
          positions={positions}
          axis={axis}
          view={view}
          whole={whole}
          onView={onView}
        />
      )}
    </Chart>
  );
}

const MODES = ["sieve", "secure-only"] as const;

function optionsOf(look: Look, axis: PointAxis, shown: { readonly current: View }): ChartOptions {
  const series = { facets: [{ scale: "x" }, { scale: "y" }], points: { show: false } };
  return {
    mode: 2,
    legend: { show: false },
    cursor: { show: false },
    scales: {
      x: { time: false, distr: axis === "size" ? LOGARITHMIC : LINEAR, range: () => limitsOf(axis, shown.current).x },
      y: { distr: LOGARITHMIC, range: () => limitsOf(axis, shown.current).y },
    },
    axes: [
      axis === "size"
        ? sizeAxis(look)
        : { ...axisOf(look), scale: "x", values: (_plot, ticks) => ticks.map(percentText) },
      { ...durationAxis(look), scale: "y" },
    ],
    series: [
      {},
      {
        ...series,
        stroke: look["plain-fill"],
        width: 1.5,
        paths: (plot) => ({ stroke: ringsOf(plot, shown.current) }),
      },
      { ...series, fill: look["secure-fill"], paths: (plot) => ({ fill: squaresOf(plot, shown.current) }) },
    ],
  };
}

const LINEAR = 1;
const LOGARITHMIC = 3;

/** The values at the edges of a view. */
function limitsOf(axis: PointAxis, { x, y }: View): Record<"x" | "y", [number, number]> {
  const [left, right] = x;
  return { x: axis === "size" ? [10 ** left, 10 ** right] : [left, right], y: [10 ** y[0], 10 ** y[1]] };
}

function sizeAxis(look: Look): uPlot.Axis {
  return {
    ...axisOf(look),
    scale: "x",
    splits: (plot, _axis, min, max) => logTicks(min, max, Math.max(2, Math.floor(plot.width / 90))),
    filter: (_plot, splits) => splits,
    values: (_plot, splits) => splits.map(sizeText),
  };
}

/** Both channels: rings. */
function ringsOf(plot: uPlot, view: View): Path2D {
  const path = new Path2D();
  eachPlace(plot, 1, view, (x, y, radius) => {
    path.moveTo(x + radius, y);
    path.arc(x, y, radius, 0, 2 * Math.PI);
  });
  return path;
}

/** The secure channel only: squares. */
function squaresOf(plot: uPlot, view: View): Path2D {
  const path = new Path2D();
  eachPlace(plot, 2, view, (x, y, radius) => path.rect(x - radius, y - radius, 2 * radius, 2 * radius));
  return path;
}

function eachPlace(
  { bbox, data }: uPlot,
  series: number,
  view: View,
  draw: (x: number, y: number, radius: number) => void,
): void {
  const [x, y] = data[series] as unknown as [Float64Array, Float64Array];
  const cell = CELL_PX * devicePixelRatio;
  const grid = { columns: Math.ceil(bbox.width / cell), lines: Math.ceil(bbox.height / cell) };
  const cells = cellsOf({ x, y }, view, grid);
  const [perColumn, perLine] = [bbox.width / grid.columns, bbox.height / grid.lines];
  for (let index = 0; index < cells.length; index += 2) {
    draw(
      bbox.left + ((cells[index] ?? 0) + 0.5) * perColumn,
      bbox.top + ((cells[index + 1] ?? 0) + 0.5) * perLine,
      RADIUS_PX * devicePixelRatio,
    );
  }
}

interface SurfaceProps extends PointChartProps {
  plot: uPlot;
  shown: { current: View };
}

/** Takes the pointer and the keys over the plotting area. */
function Surface({ plot, shown, points, positions, axis, view, whole, onView }: SurfaceProps) {
  const navigate = useNavigate();
  const surface = useRef<HTMLDivElement>(null);
  const drag = useRef<{ from: View; left: number; top: number; moved: boolean } | null>(null);
  const [pointed, setPointed] = useState<number | null>(null);

  useEffect(() => {
    shown.current = view;
    const { x, y } = limitsOf(axis, view);
    plot.batch(() => {
      plot.setScale("x", { min: x[0], max: x[1] });
      plot.setScale("y", { min: y[0], max: y[1] });
    });
  }, [plot, shown, axis, view]);

  const placeOf = (event: { clientX: number; clientY: number }) => {
    const { left, top, width, height } = plot.over.getBoundingClientRect();
    return { left: event.clientX - left, top: event.clientY - top, width, height };
  };
  const rowAt = (event: PointerEvent) => {
    const place = placeOf(event);
    return nearestRow(positions, view, place, place, event.pointerType === "mouse" ? MOUSE_REACH_PX : FINGER_REACH_PX);
  };

  const onWheel = useEffectEvent((event: WheelEvent) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const { left, top, width, height } = placeOf(event);
    onView(zoomed(view, 1.002 ** event.deltaY, whole, { x: left / width, y: 1 - top / height }));
  });
  useEffect(() => {
    const here = surface.current;
    // React listens to the wheel passively, and the page would zoom.
    here?.addEventListener("wheel", onWheel, { passive: false });
    return () => here?.removeEventListener("wheel", onWheel);
  }, []);

  const onPointerMove = (event: PointerEvent) => {
    const { left, top, width, height } = placeOf(event);
    if (!drag.current) {
      setPointed(rowAt(event));
      return;
    }
    const { from } = drag.current;
    const [right, down] = [left - drag.current.left, top - drag.current.top];
    drag.current.moved ||= Math.hypot(right, down) > STILL_PX;
    if (drag.current.moved) onView(panned(from, { x: -right / width, y: down / height }, whole));
  };
  const onPointerUp = (event: PointerEvent) => {
    const clicked = drag.current && !drag.current.moved;
    drag.current = null;
    const row = clicked ? rowAt(event) : null;
    const id = row === null ? undefined : points.transfer_id[row];
    if (id !== undefined && points.direction[row ?? 0] === "sent") void navigate({ to: "/sent/$id", params: { id } });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const next = viewAfter(event.key, view, whole);
    if (!next || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    onView(next);
  };

  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <div
      ref={surface}
      role="group"
      aria-label="Move with the arrow keys, zoom with + and −. The table has the transfers in view."
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keys move the points
      tabIndex={0}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        drag.current = { from: view, ...placeOf(event), moved: false };
        setPointed(null);
      }}
      onPointerMove={onPointerMove}
      onPointerUp={onPointerUp}
      onPointerCancel={() => {
        drag.current = null;
      }}
      onPointerLeave={() => setPointed(null)}
      className={`absolute inset-0 touch-pan-y ${pointed === null ? "cursor-grab" : "cursor-pointer"}`}
    >
      {pointed !== null && <Pointed points={points} positions={positions} row={pointed} view={view} />}
    </div>
  );
}

const PAN_STEP = 0.1;
const ZOOM_STEP = 0.8;

function viewAfter(key: string, view: View, whole: View): View | null {
  switch (key) {
    case "ArrowLeft":
      return panned(view, { x: -PAN_STEP, y: 0 }, whole);
    case "ArrowRight":
      return panned(view, { x: PAN_STEP, y: 0 }, whole);
    case "ArrowUp":
      return panned(view, { x: 0, y: PAN_STEP }, whole);
    case "ArrowDown":
      return panned(view, { x: 0, y: -PAN_STEP }, whole);
    case "+":
    case "=":
      return zoomed(view, ZOOM_STEP, whole);
    case "-":
      return zoomed(view, 1 / ZOOM_STEP, whole);
    case "0":
      return whole;
    default:
      return null;
  }
}

/** The point under the pointer, and what it stands for. */
function Pointed({
  points,
  positions,
  row,
  view,
}: {
  points: TimingsPoints;
  positions: Positions;
  row: number;
  view: View;
}) {
  const right = ((positions.x[row] ?? 0) - view.x[0]) / (view.x[1] - view.x[0]);
  const up = ((positions.y[row] ?? 0) - view.y[0]) / (view.y[1] - view.y[0]);
  const size = points.size[row] ?? 0;
  return (
    <>
      <span
        aria-hidden
        className="pointer-events-none absolute size-3 -translate-1/2 rounded-full border-2 border-ink"
        style={{ left: `${right * 100}%`, top: `${(1 - up) * 100}%` }}
      />
      <div
        aria-hidden
        className="pointer-events-none absolute z-10 rounded-sm bg-ink px-2 py-1 text-paper text-xs shadow-float"
        style={{
          ...(right > 0.5 ? { right: `calc(${(1 - right) * 100}% + 12px)` } : { left: `calc(${right * 100}% + 12px)` }),
          ...(up > 0.5 ? { top: `${(1 - up) * 100}%` } : { bottom: `${up * 100}%` }),
        }}
      >
        <p className="whitespace-nowrap font-medium">
          {durationText(points.response_ms[row] ?? 0)}, {modeName(points.mode[row] ?? "")}
        </p>
        <p className="whitespace-nowrap">
          {sizeText(size)}, {percentText(shareOf(points.classified_size[row] ?? 0, size))} classified
        </p>
        <p className="whitespace-nowrap">
          {points.direction[row] === "sent" ? "Sent" : "Received"} {absoluteText(new Date(points.at[row] ?? 0))}
        </p>
      </div>
    </>
  );
}
