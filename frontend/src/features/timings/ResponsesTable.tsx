import { t } from "@lingui/core/macro";
import { periodText } from "@/components/charts/axes";
import { FigureTable } from "@/components/FigureTable";
import { Subsection } from "@/components/Subsection";
import { durationText } from "@/lib/durations";
import { numberText } from "@/lib/numbers";
import { FIGURE_NAME } from "./figures";
import { cellText, edgesOf, type HeatCell, type Heatmap, latestFirst } from "./heatmap";
import { PagedTable } from "./PagedTable";

/** The lines of the chart and the cells of the heatmap as tables. Each cell opens its transfers. */
export function ResponsesTable({ map, onOpen }: { map: Heatmap; onOpen: (cell: HeatCell) => void }) {
  const { answer } = map;
  const name = FIGURE_NAME[answer.figure];
  const text = (value: number | null | undefined) => (value == null ? "–" : durationText(value));
  const cells = latestFirst(map);
  return (
    <div className="flex flex-col gap-8">
      <Subsection title={t`${name} over time`}>
        <FigureTable
          caption={t`${name} over time`}
          columns={[t`Time`, t`Transfers`, t`Median`, "p95", "p99"]}
          rows={answer.columns.flatMap((at, index) => {
            const count = answer.count[index] ?? 0;
            const figures = [answer.p50_ms[index], answer.p95_ms[index], answer.p99_ms[index]].map(text);
            return count > 0
              ? [{ key: at, cells: [periodText(at, answer.width_s), numberText(count), ...figures] }]
              : [];
          })}
        />
      </Subsection>
      <Subsection title={t`Cells of the heatmap`}>
        <PagedTable
          caption={t`Cells of the heatmap`}
          columns={[t`Time`, name, t`Transfers`]}
          count={cells.length}
          rowsOf={(from, until) =>
            cells.slice(from, until).map((cell) => {
              const { lowMs, highMs } = edgesOf(map, cell.bucket);
              return {
                key: `${cell.column} ${cell.bucket}`,
                cells: [
                  periodText(answer.columns[cell.column] ?? "", answer.width_s),
                  // Not the last column, which a phone shows only when it is scrolled.
                  <button
                    key="duration"
                    type="button"
                    aria-label={t`List: ${cellText(map, cell)}`}
                    onClick={() => onOpen(cell)}
                    className="tap min-h-6 min-w-6 text-right underline decoration-edge underline-offset-2"
                  >
                    {t`${durationText(lowMs)} to ${durationText(highMs)}`}
                  </button>,
                  numberText(cell.count),
                ],
              };
            })
          }
        />
      </Subsection>
    </div>
  );
}
