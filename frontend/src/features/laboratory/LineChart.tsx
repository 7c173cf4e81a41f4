import { useCallback, useMemo } from "react";
import type uPlot from "uplot";
import { alignedOf, type Point } from "@/components/charts/aligned";
import { axis, Chart, type ChartOptions } from "@/components/charts/Chart";
import type { ChartColors } from "@/components/charts/chart-colors";
import { cx } from "@/lib/cx";
import { numberText } from "@/lib/numbers";

/** Printed values are dots or rings, computed ones dashes, and ours lines; so nothing depends on colour alone. */
// not a text
const LOOKS = {
  printed: { colour: "ink", mark: "size-2 rounded-full bg-ink" },
  "other-printed": { colour: "danger", mark: "size-2.5 rounded-full border-2 border-danger" },
  computed: { colour: "quiet", mark: "w-6 border-t-2 border-quiet border-dashed" },
  ours: { colour: "secure-fill", mark: "w-6 border-t-2 border-secure-fill" },
  "other-ours": { colour: "plain-fill", mark: "w-6 border-t-2 border-plain-fill border-dotted" },
} as const;

const DASHES: Record<keyof typeof LOOKS, number[]> = {
  printed: [],
  "other-printed": [],
  computed: [8, 4],
  ours: [],
  "other-ours": [2, 4],
};

const WHOLE = [1, 2, 5, 10, 20, 50, 100];

export interface Line {
  name: string;
  look: keyof typeof LOOKS;
  points: readonly Point[];
}

interface LineChartProps {
  /** What the chart shows, in a sentence. */
  label: string;
  x: string;
  lines: readonly Line[];
  logarithmic?: boolean;
  /** x has no fractions. */
  whole?: boolean;
}

/** Lines and dots over numbers, with a legend below. */
export function LineChart({ label, x, lines, logarithmic = false, whole = false }: LineChartProps) {
  const looks = lines.map(({ look }) => look).join(" ");
  const data = useMemo<uPlot.AlignedData>(
    () =>
      alignedOf(
        lines.map(({ points }) => points),
        0,
      ),
    [lines],
  );
  const options = useCallback(
    (colors: ChartColors) => optionsOf(colors, looks.split(" ") as Line["look"][], { x, logarithmic, whole }),
    [looks, x, logarithmic, whole],
  );
  return (
    <div className="flex flex-col gap-3">
      <Chart label={label} data={data} options={options} height={280} />
      <ul className="flex flex-wrap gap-x-6 gap-y-1 text-sm">
        {lines.map(({ name, look }) => (
          <li key={name} className="flex items-center gap-2">
            <span aria-hidden className={cx("shrink-0", LOOKS[look].mark)} />
            {name}
          </li>
        ))}
      </ul>
    </div>
  );
}

function optionsOf(
  look: ChartColors,
  lines: readonly Line["look"][],
  { x, logarithmic, whole }: { x: string; logarithmic: boolean; whole: boolean },
): ChartOptions {
  return {
    legend: { show: false },
    cursor: { show: false },
    padding: [8, 16, 0, 0],
    scales: {
      x: { time: false },
      y: logarithmic
        ? { distr: 3 }
        : { range: (_plot, min, max) => [Math.min(0, min * 1.05), Math.max(1, max * 1.05)] },
    },
    axes: [
      { ...axis(look), label: x, labelFont: look.font, labelSize: 20, values: numbers, ...(whole && { incrs: WHOLE }) },
      { ...axis(look), values: numbers },
    ],
    series: [
      {},
      ...lines.map((kind) => {
        const stroke = look[LOOKS[kind].colour];
        if (kind === "printed" || kind === "other-printed") {
          const ring = kind === "other-printed";
          const fill = ring ? look.paper : stroke;
          return { paths: () => null, points: { show: true, size: 7, fill, stroke, width: ring ? 2 : 0 } };
        }
        return { stroke, width: 2, spanGaps: true, pxAlign: 0, points: { show: false }, dash: DASHES[kind] };
      }),
    ],
  };
}

function numbers(_plot: uPlot, splits: readonly (number | null)[]): string[] {
  return splits.map((value) => (value === null ? "" : numberText(value, { maximumSignificantDigits: 3 })));
}
