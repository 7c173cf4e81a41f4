import { plural, t } from "@lingui/core/macro";
import { useNavigate } from "@tanstack/react-router";
import { type KeyboardEvent, type PointerEvent, useEffect, useEffectEvent, useMemo, useRef, useState } from "react";
import type uPlot from "uplot";
import type { TimingsPoints } from "@/api/timings";
import { logTicks } from "@/components/charts/axes";
import { axis as axisOf, Chart, type ChartOptions, durationAxis } from "@/components/charts/Chart";
import type { ChartColors } from "@/components/charts/chart-colors";
import { modeName } from "@/features/transfers/modes";
import { durationText } from "@/lib/durations";
import { percentText } from "@/lib/percent";
import { sizeText } from "@/lib/sizes";
import { absoluteText } from "@/lib/times";
import { shareClassText } from "./classes";
import { nearestRow, type PointAxis, type Positions, panned, rowsToDraw, type View, zoomed } from "./points";
import { linkOf, timedOf } from "./transfer-link";

interface PointChartProps {
  points: TimingsPoints;
  positions: Positions;
  axis: PointAxis;
  view: View;
  whole: View;
  /** `isHeld`: the pointer still moves it. */
  onView: (view: View, isHeld?: boolean) => void;
}

const HEIGHT = 380;
/** Pixels: the radius of a point, and how near two have to be to be drawn as one. Many would hide each other. */
const LARGE = { radius: 3, cell: 1 };
const SMALL = { radius: 2, cell: 4 };
const MANY = 2000;
const MOUSE_REACH_PX = 10;
const FINGER_REACH_PX = 24;
const STILL_PX = 4;

/** The points on a canvas. They move with the pointer and the arrow keys, and open their transfers. */
export function PointChart({ points, positions, axis, view, whole, onView }: PointChartProps) {
  // The options read it, so that a new view needs no new chart.
  const shown = useRef(view);
  const options = useMemo(() => (look: ChartColors) => optionsOf(look, axis, shown), [axis]);
  const isSquare = useMemo(() => Uint8Array.from(points.mode, (mode) => Number(mode === "secure-only")), [points]);
  // The third facet is ours. uPlot's types know no data with different x values for each series.
  const data = useMemo(
    () => [null, [positions.x, positions.y, isSquare]] as unknown as uPlot.AlignedData,
    [positions, isSquare],
  );
  return (
    <Chart
      label={
        axis === "size"
          ? t`${plural(points.count, { one: "# transfer", other: "# transfers" })} by size and response`
          : t`${plural(points.count, { one: "# transfer", other: "# transfers" })} by share classified and response`
      }
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

function optionsOf(look: ChartColors, axis: PointAxis, shown: { readonly current: View }): ChartOptions {
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
        ? { ...sizeAxis(look), ...title(look, t`Size`), size: 30 }
        : {
            ...axisOf(look),
            ...title(look, t`Share classified`),
            size: 30,
            scale: "x",
            values: (_, ticks) => ticks.map(percentText),
          },
      { ...durationAxis(look), ...title(look, t`Response`), scale: "y" },
    ],
    series: [
      {},
      {
        facets: [{ scale: "x" }, { scale: "y" }],
        points: { show: false },
        paths: (plot) => {
          drawPoints(plot, look, shown.current);
          return null;
        },
      },
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

function title(look: ChartColors, label: string): Pick<uPlot.Axis, "label" | "labelFont" | "labelSize"> {
  return { label, labelFont: look.font, labelSize: 18 };
}

function sizeAxis(look: ChartColors): uPlot.Axis {
  return {
    ...axisOf(look),
    scale: "x",
    splits: (plot, _axis, min, max) => logTicks(min, max, Math.max(2, Math.floor(plot.width / 75))),
    filter: (_plot, splits) => splits,
    values: (_plot, splits) => splits.map(sizeText),
  };
}

/** Squares for the secure channel only, and rings for both channels. */
function drawPoints({ bbox, ctx, data }: uPlot, look: ChartColors, view: View): void {
  const [x, y, isSquare] = data[1] as unknown as [Float64Array, Float64Array, Uint8Array];
  const rowsFor = (cell: number) => rowsToDraw({ x, y }, view, bbox, cell * devicePixelRatio);
  const apart = rowsFor(LARGE.cell);
  const [rows, { radius }] = apart.length > MANY ? [rowsFor(SMALL.cell), SMALL] : [apart, LARGE];
  const r = radius * devicePixelRatio;
  const perX = bbox.width / (view.x[1] - view.x[0]);
  const perY = bbox.height / (view.y[1] - view.y[0]);
  const squares = new Path2D();
  const rings = new Path2D();
  for (const row of rows) {
    const left = bbox.left + ((x[row] ?? 0) - view.x[0]) * perX;
    const top = bbox.top + (view.y[1] - (y[row] ?? 0)) * perY;
    if (isSquare[row]) squares.rect(left - r, top - r, 2 * r, 2 * r);
    else {
      rings.moveTo(left + r, top);
      rings.arc(left, top, r, 0, 2 * Math.PI);
    }
  }
  ctx.save();
  ctx.fillStyle = look["secure-fill"];
  ctx.fill(squares);
  ctx.strokeStyle = look["plain-fill"];
  ctx.lineWidth = 1.5 * devicePixelRatio;
  ctx.stroke(rings);
  ctx.restore();
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

  /** Moves the points with the pointer, until it goes up. */
  const pan = (event: PointerEvent, isHeld: boolean) => {
    if (!drag.current) return;
    const { left, top, width, height } = placeOf(event);
    const { from } = drag.current;
    const [right, down] = [left - drag.current.left, top - drag.current.top];
    drag.current.moved ||= Math.hypot(right, down) > STILL_PX;
    if (drag.current.moved) onView(panned(from, { x: -right / width, y: down / height }, whole), isHeld);
  };
  const onPointerMove = (event: PointerEvent) => {
    if (drag.current) pan(event, true);
    else setPointed(rowAt(event));
  };
  const onPointerUp = (event: PointerEvent) => {
    pan(event, false);
    const clicked = drag.current && !drag.current.moved;
    drag.current = null;
    const row = clicked ? rowAt(event) : null;
    if (row !== null) void navigate(linkOf(timedOf(points, row)));
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
      aria-label={t`Move with the arrow keys, zoom with + and −. The table has the transfers in view.`}
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
        if (drag.current?.moved) onView(view);
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
        <p className="whitespace-nowrap">{t`${sizeText(size)}. Classified: ${shareClassText(points.share[row] ?? "")}`}</p>
        <p className="whitespace-nowrap">
          {points.direction[row] === "sent"
            ? t`Sent ${absoluteText(new Date(points.at[row] ?? 0))}`
            : t`Received ${absoluteText(new Date(points.at[row] ?? 0))}`}
        </p>
      </div>
    </>
  );
}
