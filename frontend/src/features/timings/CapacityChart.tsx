import { plural, t } from "@lingui/core/macro";
import { X } from "lucide-react";
import { useCallback, useLayoutEffect, useMemo, useRef } from "react";
import type uPlot from "uplot";
import type { TimingsCapacity } from "@/api/timings";
import { alignedOf } from "@/components/charts/aligned";
import { logTicks } from "@/components/charts/axes";
import { axis, Chart, type ChartOptions, durationAxis } from "@/components/charts/Chart";
import type { ChartColors } from "@/components/charts/chart-colors";
import { cx } from "@/lib/cx";
import { durationText } from "@/lib/durations";
import { numberText } from "@/lib/numbers";
import { busiestText, chosenModel, highestLoad, rateLimits, responseAt } from "./capacity";
import { rateText } from "./queue";

const HEIGHT = 340;

/** Response by arrival rate: what was measured, the model of the measured mix, and both modes for what is asked about. */
export function CapacityChart({ capacity }: { capacity: TimingsCapacity }) {
  const { measured, answer } = capacity;
  const model = chosenModel(capacity);
  const drawn = (mode: string) => capacity.curves.some((curve) => curve.mode === mode && curve.points.length > 0);
  const data = useMemo<uPlot.AlignedData>(() => {
    const curveOf = (mode: string) => capacity.curves.find((curve) => curve.mode === mode)?.points ?? [];
    const series = [curveOf("sieve"), curveOf("secure-only"), chosenModel(capacity)?.points ?? [], capacity.measured];
    return alignedOf(series, rateLimits(capacity)[0]);
  }, [capacity]);
  // New figures are drawn into the same chart.
  const latest = useRef(capacity);
  useLayoutEffect(() => {
    latest.current = capacity;
  }, [capacity]);
  const options = useCallback((look: ChartColors) => optionsOf(look, () => latest.current), []);
  return (
    <div className="flex flex-col gap-3">
      <Chart label={summaryOf(capacity)} data={data} options={options} height={HEIGHT} />
      <ul className="flex flex-wrap gap-x-6 gap-y-1 text-sm">
        {measured.length > 0 && <Entry mark="size-2 rounded-full bg-ink">{t`Measured period`}</Entry>}
        {model && <Entry mark="w-6 border-t-2 border-ink">{t`Model of the measured mix`}</Entry>}
        {drawn("sieve") && (
          <Entry mark="w-6 border-t-2 border-plain-fill border-dashed">{t`Both channels, this document`}</Entry>
        )}
        {drawn("secure-only") && (
          <Entry mark="w-6 border-t-2 border-secure-fill border-dotted">{t`Secure channel only, this document`}</Entry>
        )}
        {model && <Entry mark="h-4 border-l-2 border-danger border-dashed">{t`Saturation of the measured mix`}</Entry>}
        {model && <Entry mark="size-2.5 rotate-45 border-2 border-focus">{highestLoad(capacity.load).name}</Entry>}
        {answer.response_ms !== null && (
          <li className="flex items-center gap-2">
            <X aria-hidden className="size-4" />
            {t`What if`}
          </li>
        )}
      </ul>
    </div>
  );
}

function Entry({ mark, children }: { mark: string; children: string }) {
  return (
    <li className="flex items-center gap-2">
      <span aria-hidden className={cx("shrink-0", mark)} />
      {children}
    </li>
  );
}

function optionsOf(look: ChartColors, now: () => TimingsCapacity): ChartOptions {
  const line = { spanGaps: true, pxAlign: 0, points: { show: false }, width: 2 };
  return {
    legend: { show: false },
    cursor: { show: false },
    padding: [8, 16, 0, 0],
    scales: { x: { time: false, distr: 3, range: () => rateLimits(now()) }, y: { distr: 3, range: responseLimits } },
    axes: [
      {
        ...axis(look),
        label: t`Arrivals a second`,
        labelFont: look.font,
        labelSize: 18,
        size: 30,
        splits: (plot, _axis, min, max) => logTicks(min, max, Math.max(2, Math.floor(plot.width / 60))),
        filter: (_plot, splits) => splits,
        values: (_plot, splits) => splits.map((rate) => numberText(rate, { maximumSignificantDigits: 3 })),
      },
      { ...durationAxis(look), label: t`Mean total time`, labelFont: look.font, labelSize: 18 },
    ],
    series: [
      {},
      { ...line, stroke: look["plain-fill"], dash: [8, 5] },
      { ...line, stroke: look["secure-fill"], dash: [2, 4] },
      { ...line, stroke: look.ink },
      { paths: () => null, points: { show: true, size: 5, fill: look.ink, stroke: look.ink, width: 0 } },
    ],
    hooks: { draw: [(plot) => drawMarks(plot, look, now())] },
  };
}

/** All responses, with room around them. */
function responseLimits(_plot: uPlot, least: number | null, most: number | null): [number, number] {
  return least === null || most === null || least <= 0 ? [1, 1000] : [least / 1.5, most * 1.5];
}

/** The saturation as a line, the measured load as a diamond on its curve, and what is asked about as a cross. */
function drawMarks(plot: uPlot, look: ChartColors, capacity: TimingsCapacity): void {
  const { ctx, bbox } = plot;
  const { load, asked, answer } = capacity;
  const model = chosenModel(capacity);
  const reach = 7 * devicePixelRatio;
  const placed = (rate: number, response: number | null, draw: (x: number, y: number) => void) => {
    if (response === null || rate <= 0) return;
    ctx.beginPath();
    draw(plot.valToPos(rate, "x", true), plot.valToPos(response, "y", true));
    ctx.stroke();
  };
  ctx.save();
  ctx.lineWidth = 2 * devicePixelRatio;
  if (model) {
    ctx.strokeStyle = look.danger;
    ctx.setLineDash([5 * devicePixelRatio, 4 * devicePixelRatio]);
    const saturation = plot.valToPos(model.saturation_per_s, "x", true);
    ctx.beginPath();
    ctx.moveTo(saturation, bbox.top);
    ctx.lineTo(saturation, bbox.top + bbox.height);
    ctx.stroke();
    ctx.setLineDash([]);
    ctx.strokeStyle = look.focus;
    const { perSecond } = highestLoad(load);
    placed(perSecond, responseAt(model.points, perSecond), (x, y) => {
      ctx.moveTo(x, y - reach);
      ctx.lineTo(x + reach, y);
      ctx.lineTo(x, y + reach);
      ctx.lineTo(x - reach, y);
      ctx.closePath();
    });
  }
  ctx.strokeStyle = look.ink;
  placed(asked.rate_per_s, answer.response_ms, (x, y) => {
    ctx.moveTo(x - reach, y - reach);
    ctx.lineTo(x + reach, y + reach);
    ctx.moveTo(x + reach, y - reach);
    ctx.lineTo(x - reach, y + reach);
  });
  ctx.restore();
}

function summaryOf(capacity: TimingsCapacity): string {
  const model = chosenModel(capacity);
  const { load, answer } = capacity;
  return [
    t`Mean total time by arrival rate: ${plural(capacity.measured.length, { one: "# measured period", other: "# measured periods" })}.`,
    busiestText(load),
    model && t`The measured mix saturates at ${rateText(model.saturation_per_s)}.`,
    answer.response_ms !== null && t`The load you chose takes ${durationText(answer.response_ms)}.`,
    t`The table has the numbers.`,
  ]
    .filter(Boolean)
    .join(" ");
}
