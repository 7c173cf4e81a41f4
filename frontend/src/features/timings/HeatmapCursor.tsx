import { t } from "@lingui/core/macro";
import { type KeyboardEvent, type PointerEvent, useId, useRef, useState } from "react";
import type uPlot from "uplot";
import { announce } from "@/components/announce";
import {
  type Anchor,
  anchorOf,
  cellAt,
  cellText,
  edgesOf,
  firstCell,
  type HeatCell,
  type Heatmap,
  nearestCell,
  nextCell,
  placeAt,
} from "./heatmap";

interface HeatmapCursorProps {
  map: Heatmap;
  plot: uPlot;
  onOpen: (cell: HeatCell) => void;
  onZoom: (fromS: number, untilS: number) => void;
}

const KEYS = { ArrowLeft: "left", ArrowRight: "right", ArrowUp: "up", ArrowDown: "down" } as const;
/** How far a pointer must move to choose a range, and how far it may miss a cell, in pixels. */
const DRAG_PX = 6;
const MISS_PX = 12;

/** The starts of the first and the last column of a range, in the order in which they were chosen. */
interface Range {
  fromS: number;
  toS: number;
}

/** The button over the plotting area: it shows the cell under the pointer or the arrow keys, and the range that is being chosen. */
export function HeatmapCursor({ map, plot, onOpen, onZoom }: HeatmapCursorProps) {
  const hint = useId();
  const [anchor, setAnchor] = useState<Anchor | null>(null);
  const [range, setRange] = useState<Range | null>(null);
  const press = useRef<{ x: number; atS: number } | null>(null);
  const current = anchor && cellAt(map, anchor);
  const setCell = (cell: HeatCell | undefined) => setAnchor(cell ? anchorOf(map, cell) : null);
  const startOf = (column: number) => map.startsS[column] ?? map.fromS;

  const placeOf = ({ clientX, clientY, currentTarget }: PointerEvent) => {
    const box = currentTarget.getBoundingClientRect();
    const left = Math.min(Math.max(clientX - box.left, 0), box.width - 1);
    const top = Math.min(Math.max(clientY - box.top, 0), box.height - 1);
    // Rounding must not lead out of the chart.
    const ms = Math.min(Math.max(plot.posToVal(top, "y"), map.lowMs), map.highMs);
    return placeAt(map, plot.posToVal(left, "x"), ms);
  };
  const cellUnder = (event: PointerEvent) => {
    const place = placeOf(event);
    const box = event.currentTarget.getBoundingClientRect();
    const columns = (MISS_PX / box.width) * map.startsS.length;
    const buckets = (MISS_PX / box.height) * (map.answer.bucket_edges_ms.length - 1);
    return place ? nearestCell(map, place, columns, buckets) : undefined;
  };
  const zoom = (chosen: Range) => {
    setRange(null);
    const { startS, endS } = endsOf(map, chosen);
    onZoom(startS, endS);
  };

  const onPointerDown = (event: PointerEvent) => {
    const place = event.button === 0 && placeOf(event);
    if (!place) return;
    press.current = { x: event.clientX, atS: startOf(place.column) };
    event.currentTarget.setPointerCapture?.(event.pointerId);
  };
  const onPointerMove = (event: PointerEvent) => {
    const place = placeOf(event);
    const pressed = press.current;
    if (!pressed) setCell(cellUnder(event));
    else if (place && (range || isDrag(event, pressed))) {
      setRange({ fromS: pressed.atS, toS: startOf(place.column) });
    }
  };
  const onPointerUp = (event: PointerEvent) => {
    const pressed = press.current;
    if (!pressed) return;
    press.current = null;
    const place = placeOf(event);
    // The last move may not be in `range` yet.
    if (place && (range || isDrag(event, pressed))) {
      return zoom({ fromS: pressed.atS, toS: startOf(place.column) });
    }
    const hit = cellUnder(event);
    setCell(hit);
    if (hit) onOpen(hit);
  };
  const stop = () => {
    press.current = null;
    setRange(null);
  };

  const onKeyDown = (event: KeyboardEvent) => {
    const direction = KEYS[event.key as keyof typeof KEYS];
    const here = current ?? firstCell(map);
    if (direction && here) {
      event.preventDefault();
      const next = current ? nextCell(map, here, direction) : here;
      setCell(next);
      if (event.shiftKey && (direction === "left" || direction === "right")) {
        setRange({ fromS: range?.fromS ?? startOf(here.column), toS: startOf(next.column) });
      } else setRange(null);
      announce(cellText(map, next));
    } else if (event.key === "Escape" && range) {
      event.preventDefault();
      setRange(null);
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      if (range) zoom(range);
      else if (here) {
        setCell(here);
        onOpen(here);
      }
    }
  };

  return (
    <>
      <button
        type="button"
        aria-label={t`Cells of the heatmap`}
        aria-describedby={hint}
        onPointerDown={onPointerDown}
        onPointerMove={onPointerMove}
        onPointerUp={onPointerUp}
        onPointerCancel={stop}
        onPointerLeave={() => press.current || setCell(undefined)}
        onKeyDown={onKeyDown}
        // A screen reader's click comes without a pointer.
        onClick={(event) => {
          const here = current ?? firstCell(map);
          if (event.detail === 0 && here) onOpen(here);
        }}
        className="absolute inset-0 cursor-crosshair touch-pan-y"
      />
      <span
        id={hint}
        hidden
      >{t`Arrow keys choose a cell, Enter lists its transfers. Shift and arrow keys choose a time range, Enter zooms into it.`}</span>
      {range && <Shade map={map} plot={plot} range={range} />}
      {current && !range && <Frame map={map} plot={plot} cell={current} />}
    </>
  );
}

function isDrag({ clientX }: PointerEvent, pressed: { x: number }): boolean {
  return Math.abs(clientX - pressed.x) >= DRAG_PX;
}

function endsOf(map: Heatmap, { fromS, toS }: Range): { startS: number; endS: number } {
  return { startS: Math.min(fromS, toS), endS: Math.max(fromS, toS) + map.answer.width_s };
}

/** The chosen range. */
function Shade({ map, plot, range }: { map: Heatmap; plot: uPlot; range: Range }) {
  const { startS, endS } = endsOf(map, range);
  const left = plot.valToPos(startS, "x");
  return (
    <span
      aria-hidden
      className="pointer-events-none absolute inset-y-0 border-ink border-x-2 bg-ink/15"
      style={{ left, width: plot.valToPos(endS, "x") - left }}
    />
  );
}

/** The frame of a cell, and what is in it. */
function Frame({ map, plot, cell }: { map: Heatmap; plot: uPlot; cell: HeatCell }) {
  const start = map.startsS[cell.column] ?? 0;
  const { lowMs, highMs } = edgesOf(map, cell.bucket);
  const left = plot.valToPos(start, "x");
  const top = plot.valToPos(highMs, "y");
  const right = plot.valToPos(start + map.answer.width_s, "x");
  const width = plot.over.clientWidth;
  return (
    <>
      <span
        aria-hidden
        className="pointer-events-none absolute min-w-2 min-h-2 rounded-[2px] outline-2 outline-ink"
        style={{ left, top, width: right - left, height: plot.valToPos(lowMs, "y") - top }}
      />
      <span
        aria-hidden
        className="pointer-events-none absolute z-10 max-w-full rounded-sm bg-ink px-2 py-1 text-paper text-xs shadow-float"
        style={{
          ...(left < width / 2 ? { left: Math.max(left, 0) } : { right: Math.max(width - right, 0) }),
          ...(top > 64 ? { bottom: plot.over.clientHeight - top + 6 } : { top: plot.valToPos(lowMs, "y") + 6 }),
        }}
      >
        {cellText(map, cell)}
      </span>
    </>
  );
}
