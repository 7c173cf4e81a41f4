import { t } from "@lingui/core/macro";
import { useMemo } from "react";
import type { TlsSplitFound } from "@/api/laboratory";
import { FigureTable } from "@/components/FigureTable";
import { Subsection } from "@/components/Subsection";
import { numberText } from "@/lib/numbers";
import { listText } from "@/lib/prose";
import { type Line, LineChart } from "./LineChart";

type Overhead = TlsSplitFound["overheads"][number];

const DURATION: Record<Overhead["duration"], string> = {
  initiation: t`Session initiation`,
  resumption: t`Session resumption`,
  processor: t`Processor time of the servers`,
};
const THROUGH = t`Through the handler, here`;
const DIRECT = t`Direct routing, here`;
const PRINTED = t`Through the handler, in the thesis`;

/** By how much the designs of several processes cost more than one process. */
export function TlsSplitCharts({ found }: { found: TlsSplitFound }) {
  return (
    <div className="flex flex-col gap-8">
      <Clients found={found} />
      <OverheadChart found={found} duration="initiation" />
      <OverheadChart found={found} duration="resumption" />
      <OverheadChart found={found} duration="processor" />
    </div>
  );
}

/** All numbers. */
export function TlsSplitTable({ found }: { found: TlsSplitFound }) {
  return (
    <div className="flex flex-col gap-3">
      <Clients found={found} />
      <FigureTable
        caption={t`Percent more than in one process`}
        columns={[t`Duration and document`, PRINTED, THROUGH, DIRECT]}
        rows={found.overheads.map((row) => ({
          key: `${row.duration} ${row.size_kb}`,
          cells: [
            t`${{ duration: DURATION[row.duration] }}, ${{ size: row.size_kb }} KB`,
            row.printed === null ? "–" : more(row.printed),
            within(row.through_handler, row.through_handler_ci95),
            within(row.direct, row.direct_ci95),
          ],
        }))}
      />
    </div>
  );
}

function Clients({ found: { clients } }: { found: TlsSplitFound }) {
  const numbers = listText(clients.map((each) => numberText(each)));
  return (
    <p className="text-sm">{t`Percent more than in one process that does everything, with ${numbers} clients at a time.`}</p>
  );
}

function OverheadChart({ found, duration }: { found: TlsSplitFound; duration: Overhead["duration"] }) {
  const lines = useMemo(() => linesOf(found, duration), [found, duration]);
  const name = DURATION[duration];
  return (
    <Subsection title={name}>
      <LineChart
        label={t`${name}: percent more than in one process, by size of the document`}
        x={t`Document, KB`}
        lines={lines}
        whole
      />
    </Subsection>
  );
}

function linesOf({ overheads }: TlsSplitFound, duration: Overhead["duration"]): Line[] {
  const rows = overheads.filter((row) => row.duration === duration);
  const printed = rows.flatMap(({ size_kb, printed }) => (printed === null ? [] : [[size_kb, printed] as const]));
  return [
    { name: THROUGH, look: "ours", points: rows.map((row) => [row.size_kb, row.through_handler] as const) },
    { name: DIRECT, look: "other-ours", points: rows.map((row) => [row.size_kb, row.direct] as const) },
    ...(printed.length > 0 ? [{ name: PRINTED, look: "printed", points: printed } as const] : []),
  ];
}

function within(value: number, ci95: number | null): string {
  return ci95 === null ? more(value) : `${more(value)} ± ${digits(ci95)}`;
}

function more(value: number): string {
  return `${value < 0 ? "−" : "+"}${digits(Math.abs(value))}`;
}

function digits(value: number): string {
  return numberText(value, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
}
