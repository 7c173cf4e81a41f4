import { t } from "@lingui/core/macro";
import { useMemo } from "react";
import type { BatchingFound } from "@/api/laboratory";
import { FigureTable } from "@/components/FigureTable";
import { numberText } from "@/lib/numbers";
import { type Line, LineChart } from "./LineChart";

type Cell = BatchingFound["table"][number];

const SYSTEM: Record<Cell["system"], string> = { batching: t`Batches of five`, "no batching": t`One by one` };
const QUANTITY: Record<Cell["quantity"], string> = {
  turnaround: t`Turnaround, s`,
  "queue length": t`Queue length`,
  "queue delay": t`Wait in the queue, s`,
};

/** Table 5.3 of the thesis, printed and simulated. */
export function BatchingChart({ found: { table } }: { found: BatchingFound }) {
  const inside = table.filter((cell) => cell.inside).length;
  const lines = useMemo<Line[]>(() => {
    const turnarounds = table.filter(({ quantity }) => quantity === "turnaround");
    // not a text
    const alone: Cell["system"] = "no batching";
    const of = (system: Cell["system"], value: "printed" | "mean") =>
      turnarounds.filter((cell) => cell.system === system).map((cell) => [cell.rate_per_s, cell[value]] as const);
    return [
      { name: t`Batches of five, simulated here`, look: "ours", points: of("batching", "mean") },
      { name: t`Batches of five, in the thesis`, look: "printed", points: of("batching", "printed") },
      { name: t`One by one, simulated here`, look: "other-ours", points: of(alone, "mean") },
      { name: t`One by one, in the thesis`, look: "other-printed", points: of(alone, "printed") },
    ];
  }, [table]);
  return (
    <div className="flex flex-col gap-3">
      <p className="text-sm">{t`${inside} of ${table.length} printed values are within the 95 % interval of ours.`}</p>
      <LineChart
        label={t`Mean turnaround in seconds by arrivals a second, printed and simulated`}
        x={t`Arrivals a second`}
        lines={lines}
        logarithmic
      />
    </div>
  );
}

/** The same numbers. */
export function BatchingTable({ found: { table } }: { found: BatchingFound }) {
  return (
    <FigureTable
      caption={t`Table 5.3 of the thesis`}
      columns={[t`System`, t`Arrivals a second`, t`Quantity`, t`Printed`, t`Ours`, t`Within the interval`]}
      rows={table.map((cell) => ({
        key: `${cell.system} ${cell.rate_per_s} ${cell.quantity}`,
        cells: [
          SYSTEM[cell.system],
          numberText(cell.rate_per_s),
          QUANTITY[cell.quantity],
          numberText(cell.printed),
          `${digits(cell.mean)} ± ${digits(cell.ci95_of_five_runs)}`,
          cell.inside ? t`Yes` : t`No`,
        ],
      }))}
    />
  );
}

function digits(value: number): string {
  return numberText(value, { maximumFractionDigits: 3 });
}
