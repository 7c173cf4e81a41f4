import { t } from "@lingui/core/macro";
import { numberText } from "@/lib/numbers";
import { legendCounts, opacityOf } from "./heatmap";

/** What the colours and the lines of the heatmap mean. `most`: the highest count of a cell. */
export function HeatmapLegend({ most }: { most: number }) {
  return (
    <div className="flex flex-wrap items-center gap-x-8 gap-y-2 text-quiet text-xs">
      <ul className="flex flex-wrap gap-x-5 gap-y-1">
        <Line name={t`Median`} />
        <Line name="p95" dash="7 4" />
        <Line name="p99" dash="2 3" />
      </ul>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        {t`Transfers in a cell`}
        <ol className="flex gap-2">
          {legendCounts(most).map((count) => (
            <li key={count} className="flex items-center gap-1">
              <svg aria-hidden="true" className="size-3">
                <rect width="12" height="12" fill="var(--focus)" opacity={opacityOf(count, most)} />
              </svg>
              {numberText(count)}
            </li>
          ))}
        </ol>
      </div>
    </div>
  );
}

function Line({ name, dash }: { name: string; dash?: string }) {
  return (
    <li className="flex items-center gap-2">
      <svg aria-hidden="true" className="h-2 w-8">
        <line x1="0" x2="32" y1="4" y2="4" stroke="var(--ink)" strokeWidth="1.75" strokeDasharray={dash} />
      </svg>
      {name}
    </li>
  );
}
