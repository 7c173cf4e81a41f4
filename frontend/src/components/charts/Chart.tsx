import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from "react";
import { createPortal } from "react-dom";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { useTheme } from "@/components/theme";
import { useMedia } from "@/components/use-media";
import { durationLabels, logTicks, timeLabels } from "./axes";
import { type ChartColors, chartColorsOf } from "./chart-colors";

export type ChartOptions = Omit<uPlot.Options, "width" | "height">;

interface ChartProps {
  /** What the chart shows, in a sentence, for screen readers. Its numbers are in the panel's table. */
  label: string;
  /** New data is drawn into the same chart. */
  data: uPlot.AlignedData;
  /** Keep it outside the component or in a memo: another function makes another chart. */
  options: (look: ChartColors) => ChartOptions;
  height?: number;
  /** Over the plotting area, which it may cover with `absolute inset-0`. */
  children?: (plot: uPlot) => ReactNode;
}

/** A chart on a canvas, as wide as its place. The only module that imports uPlot. */
export function Chart({ label, data, options, height = 288, children }: ChartProps) {
  const host = useRef<HTMLDivElement>(null);
  const [plot, setPlot] = useState<uPlot | null>(null);
  const [theme] = useTheme();
  const systemDark = useMedia("(prefers-color-scheme: dark)"); // not a text
  const scheme = theme === "system" ? (systemDark ? "dark" : "light") : theme;
  // What is over the chart is placed by the chart's scales, so it is rendered after each drawing.
  const [, setDrawn] = useState(0);
  const latest = useEffectEvent(() => ({ data, height }));

  useEffect(() => {
    const here = host.current;
    if (!here) return;
    here.dataset.scheme = scheme;
    const now = latest();
    const made = new uPlot(
      { ...options(chartColorsOf(here)), width: widthOf(here), height: now.height },
      now.data,
      here,
    );
    made.hooks.draw = [...(made.hooks.draw ?? []), () => setDrawn((count) => count + 1)];
    const resized = new ResizeObserver(() => made.setSize({ width: widthOf(here), height: latest().height }));
    resized.observe(here);
    setPlot(made);
    return () => {
      setPlot(null);
      resized.disconnect();
      made.destroy();
    };
  }, [options, scheme]);

  useEffect(() => {
    if (plot && plot.data !== data) plot.setData(data);
  }, [plot, data]);

  useEffect(() => {
    if (plot && plot.height !== height) plot.setSize({ width: plot.width, height });
  }, [plot, height]);

  useEffect(() => {
    const canvas = plot?.ctx.canvas;
    canvas?.setAttribute("role", "img");
    canvas?.setAttribute("aria-label", label);
  }, [plot, label]);

  return (
    // The chart follows its place and never stretches it.
    <div ref={host} className="min-w-0 overflow-hidden" style={{ height }}>
      {plot && children && createPortal(children(plot), plot.over)}
    </div>
  );
}

/** An axis of times, in the reader's time zone. */
export function timeAxis(look: ChartColors): uPlot.Axis {
  return {
    ...axis(look),
    values: (_plot, splits, _axis, _space, incr) => timeLabels(splits, incr),
  };
}

/** A logarithmic axis of durations in milliseconds; its scale has `distr: 3`. */
export function durationAxis(look: ChartColors): uPlot.Axis {
  return {
    ...axis(look),
    size: 64,
    splits: (plot, _axis, min, max) => logTicks(min, max, Math.max(2, Math.floor(plot.height / 32))),
    filter: (_plot, splits) => splits,
    values: (_plot, splits) => durationLabels(splits),
  };
}

/** The look that all axes share. */
export function axis(look: ChartColors): uPlot.Axis {
  return {
    stroke: look.quiet,
    font: look.font,
    grid: { stroke: look.line, width: 1 },
    ticks: { stroke: look.line, width: 1, size: 4 },
  };
}

function widthOf(host: HTMLElement): number {
  return Math.max(host.clientWidth, 240);
}
