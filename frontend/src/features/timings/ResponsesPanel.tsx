import { plural, t } from "@lingui/core/macro";
import { useCallback, useLayoutEffect, useMemo, useRef, useState } from "react";
import type uPlot from "uplot";
import type { TimingFigure, TimingsResponses } from "@/api/timings";
import { Chart, type ChartOptions, durationAxis, timeAxis } from "@/components/charts/Chart";
import type { ChartColors } from "@/components/charts/chart-colors";
import { SegmentedControl } from "@/components/ui/SegmentedControl";
import { useMedia } from "@/components/use-media";
import { durationText } from "@/lib/durations";
import { CellDialog, type ChosenCell } from "./CellDialog";
import { FIGURE_IN_TEXT, FIGURE_NAME } from "./figures";
import { HeatmapCursor } from "./HeatmapCursor";
import { HeatmapLegend } from "./HeatmapLegend";
import { edgesOf, type HeatCell, type Heatmap, heatmapOf, longestStep, opacityOf, withFewerBuckets } from "./heatmap";
import { Panel } from "./Panel";
import { ResponsesTable } from "./ResponsesTable";
import { FIGURES, isoOf } from "./timings-search";
import { useTimingsView } from "./timings-view";
import { useTimings } from "./use-timings";

/** On a narrow screen a cell is at least 24 px wide and high: the chart has at least 260 px beside its axis and above it. */
const NARROW = "(max-width: 39.99rem)";
const NARROW_CELLS = 10;

/** How long transfers took over time: a heatmap with percentiles, to zoom into and to open transfers from. */
export function ResponsesPanel() {
  const { search, change } = useTimingsView();
  const figure = search.figure ?? "response";
  const isNarrow = useMedia(NARROW);
  const loaded = useTimings("responses", isNarrow ? { figure, columns: NARROW_CELLS } : { figure });
  return (
    <Panel
      lead={t`How many transfers took how long. Drag across the chart to zoom; choose a cell to list its transfers.`}
      part="responses"
      loaded={loaded}
      isEmpty={({ cells }) => cells.length === 0}
      empty={t`No delivered transfers here. Choose a longer time range, or remove a filter.`}
      lines={8}
      controls={
        <SegmentedControl<TimingFigure>
          label={t`Duration to show`}
          value={figure}
          onValueChange={(next) => change({ figure: next === "response" ? undefined : next })}
          segments={FIGURES.map((value) => ({ value, label: FIGURE_NAME[value] }))}
        />
      }
      table={(answer) => <Responses answer={answer} isNarrow={isNarrow} asTable />}
    >
      {(answer) => <Responses answer={answer} isNarrow={isNarrow} />}
    </Panel>
  );
}

interface ResponsesProps {
  answer: TimingsResponses;
  isNarrow: boolean;
  asTable?: boolean;
}

/** The chart or its table, and the dialog with the transfers of a cell. */
function Responses({ answer, isNarrow, asTable = false }: ResponsesProps) {
  const map = useMemo(() => heatmapOf(isNarrow ? withFewerBuckets(answer, NARROW_CELLS) : answer), [answer, isNarrow]);
  const [chosen, setChosen] = useState<ChosenCell | null>(null);
  const open = ({ column, bucket, count }: HeatCell) => {
    const at = answer.columns[column];
    if (at === undefined) return;
    const { lowMs, highMs } = edgesOf(map, bucket);
    setChosen({ figure: answer.figure, at, widthS: answer.width_s, lowMs, highMs, count });
  };
  return (
    <>
      {asTable ? <ResponsesTable map={map} onOpen={open} /> : <ResponsesChart map={map} onOpen={open} />}
      {chosen && <CellDialog cell={chosen} onClose={() => setChosen(null)} />}
    </>
  );
}

function ResponsesChart({ map, onOpen }: { map: Heatmap; onOpen: (cell: HeatCell) => void }) {
  const { change } = useTimingsView();
  const { answer } = map;
  const data = useMemo<uPlot.AlignedData>(() => {
    const { p50_ms, p95_ms, p99_ms } = answer;
    return [map.startsS.map((start) => start + answer.width_s / 2), p99_ms, p99_ms, p95_ms, p95_ms, p50_ms, p50_ms];
  }, [answer, map]);
  // New figures are drawn into the same chart, which keeps the focus and the selection.
  const latest = useRef(map);
  useLayoutEffect(() => {
    latest.current = map;
  }, [map]);
  const options = useCallback((look: ChartColors) => heatmapOptions(look, () => latest.current), []);
  return (
    <div className="flex flex-col gap-3">
      <Chart label={summaryOf(map)} data={data} options={options} height={320}>
        {(plot) => (
          <HeatmapCursor
            map={map}
            plot={plot}
            onOpen={onOpen}
            onZoom={(fromS, untilS) =>
              change({ since: isoOf(fromS * 1000), until: isoOf(untilS * 1000), range: undefined })
            }
          />
        )}
      </Chart>
      <HeatmapLegend most={map.most} />
    </div>
  );
}

/** Of p99, p95 and the median. Each line is drawn wide in the paper's colour first, so that it is seen on dark cells. */
const DASHES = [[2, 3], [7, 4], []];

function heatmapOptions(look: ChartColors, mapNow: () => Heatmap): ChartOptions {
  return {
    legend: { show: false },
    // HeatmapCursor draws its own, which takes fingers and keys, too.
    cursor: { show: false },
    // At the right there is room for half a label.
    padding: [8, 24, 0, 0],
    scales: {
      x: { time: true, range: () => [mapNow().fromS, mapNow().untilS] },
      y: { distr: 3, range: () => [mapNow().lowMs, mapNow().highMs] },
    },
    axes: [timeAxis(look), durationAxis(look)],
    series: [{}, ...DASHES.flatMap((dash) => [line(look.paper, 4, 7), line(look.ink, 1.75, 4, dash)])],
    hooks: { drawAxes: [(plot) => drawCells(plot, look, mapNow())] },
  };
}

/** A line of percentiles, with dots where it would not be seen: for columns without neighbours. */
function line(stroke: string, width: number, dot: number, dash: readonly number[] = []): uPlot.Series {
  return {
    stroke,
    width,
    dash: [...dash],
    gaps: (plot, series, _from, _to, gaps) => {
      const values = plot.data[series] ?? [];
      // The edges of gaps are whole pixels.
      const longest = (longestStep(values) + 0.5) * (plot.bbox.width / values.length);
      return gaps.filter(([from, to]) => to - from > longest);
    },
    points: {
      show: true,
      size: dot,
      fill: stroke,
      filter: (plot, series) => {
        const values = plot.data[series] as (number | null)[];
        const isLone = (index: number) => (values[index - 1] ?? values[index + 1] ?? null) === null;
        return values.flatMap((value, index) => (value !== null && isLone(index) ? [index] : []));
      },
    },
  };
}

function drawCells(plot: uPlot, look: ChartColors, map: Heatmap): void {
  const { ctx } = plot;
  const { answer } = map;
  const yOf = answer.bucket_edges_ms.map((ms) => Math.round(plot.valToPos(ms, "y", true)));
  ctx.save();
  ctx.fillStyle = look.focus;
  for (const { column, bucket, count } of map.cells) {
    const start = map.startsS[column] ?? 0;
    const left = Math.round(plot.valToPos(start, "x", true));
    const right = Math.round(plot.valToPos(start + answer.width_s, "x", true));
    const bottom = yOf[bucket] ?? 0;
    const top = yOf[bucket + 1] ?? 0;
    ctx.globalAlpha = opacityOf(count, map.most);
    ctx.fillRect(left, top, Math.max(right - left, 1), Math.max(bottom - top, 1));
  }
  ctx.restore();
}

/** The chart in a sentence: "Response of 312 transfers, from 12 ms to 2.4 s. …". */
function summaryOf({ answer, lowMs, highMs }: Heatmap): string {
  const count = answer.count.reduce((sum, one) => sum + one, 0);
  const last = answer.p50_ms.findLast((value) => value !== null);
  return [
    t`Heatmap: ${FIGURE_IN_TEXT[answer.figure]} of ${plural(count, { one: "# transfer", other: "# transfers" })}, from ${durationText(lowMs)} to ${durationText(highMs)}.`,
    last == null ? "" : t`Latest median ${durationText(last)}.`,
    t`The table has the numbers.`,
  ]
    .filter(Boolean)
    .join(" ");
}
