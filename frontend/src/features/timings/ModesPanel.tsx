import { plural, t } from "@lingui/core/macro";
import type { ReactNode } from "react";
import type { TimingsModes } from "@/api/timings";
import { durationText } from "@/lib/durations";
import { numberText } from "@/lib/numbers";
import { percentText } from "@/lib/percent";
import { shareClassText, sizeClassText } from "./classes";
import { FigureTable } from "./FigureTable";
import { ModeMatrix } from "./ModeMatrix";
import { countVerdicts, intervalText, type ModeCell, signedPercent } from "./modes-compared";
import { Panel } from "./Panel";
import { useTimings } from "./use-timings";

const COLUMNS = [
  t`Size and share classified`,
  t`Improvement`,
  t`95 % interval`,
  t`Both channels`,
  "n",
  t`Secure channel only`,
  t`n, secure only`,
];

/** Both channels compared with the secure channel only, and what the planner expected. */
export function ModesPanel() {
  const loaded = useTimings("modes");
  return (
    <Panel
      title={t`Modes compared`}
      lead={t`How much faster the mean response is over both channels than over the secure channel only, by size and share classified, with its 95 % interval and the number of transfers over both channels and over the secure channel only.`}
      part="modes"
      loaded={loaded}
      isEmpty={({ cells }) => cells.length === 0}
      empty={t`No delivered transfers here. Choose a longer time range, or remove a filter.`}
      table={({ cells }) => <ModeTable cells={cells} />}
    >
      {({ cells, break_even, planner }) => (
        <div className="flex flex-col gap-6">
          <p className="text-sm">{verdictText(cells)}</p>
          <ModeMatrix cells={cells} breakEven={break_even} />
          <Planner planner={planner} />
        </div>
      )}
    </Panel>
  );
}

function verdictText(cells: readonly ModeCell[]): string {
  const { sieve, unclear, ...counts } = countVerdicts(cells);
  const compared = sieve + unclear + counts["secure-only"];
  if (compared === 0)
    return t`There are not enough transfers yet to compare the modes: at least 10 of each are needed.`;
  return t`Of ${plural(compared, { one: "# comparison", other: "# comparisons" })}, both channels are faster in ${sieve}, the secure channel only in ${counts["secure-only"]}, and ${plural(unclear, { one: "# is", other: "# are" })} unclear.`;
}

function ModeTable({ cells }: { cells: readonly ModeCell[] }) {
  return (
    <FigureTable
      caption={t`Improvement by size and share classified`}
      columns={COLUMNS}
      rows={cells.map(({ size, share, sieve, secure_only, improvement_percent, low, high, enough }) => ({
        key: `${size} ${share}`,
        cells: [
          `${sizeClassText(size)}, ${shareClassText(share)}`,
          enough && improvement_percent !== null ? signedPercent(improvement_percent) : t`Not enough transfers`,
          enough && low !== null && high !== null ? intervalText(low, high) : "–",
          sieve.mean_ms === null ? "–" : durationText(sieve.mean_ms),
          numberText(sieve.count),
          secure_only.mean_ms === null ? "–" : durationText(secure_only.mean_ms),
          numberText(secure_only.count),
        ],
      }))}
    />
  );
}

/** The planner's estimates beside what came. */
function Planner({ planner }: { planner: TimingsModes["planner"] }) {
  const { predicted, within_two, within_two_share, other_faster, other_faster_share } = planner;
  return (
    <div className="flex flex-col gap-2">
      <h3 className="font-medium">{t`The planner`}</h3>
      {predicted === 0 ? (
        <p className="text-quiet text-sm">{t`None of these transfers has an estimate. Transfers whose mode is chosen automatically will have one.`}</p>
      ) : (
        <dl className="grid grid-cols-1 gap-x-6 gap-y-4 sm:grid-cols-3">
          <PlannerFigure term={t`Transfers with an estimate`} value={numberText(predicted)} />
          <PlannerFigure
            term={t`Responses of half to twice the estimate`}
            value={within_two_share === null ? "–" : percentText(within_two_share)}
            detail={plural(within_two, { one: "# transfer", other: "# transfers" })}
          />
          <PlannerFigure
            term={t`The other mode would have been faster, by its estimate`}
            value={other_faster_share === null ? "–" : percentText(other_faster_share)}
            detail={plural(other_faster, { one: "# transfer", other: "# transfers" })}
          />
        </dl>
      )}
    </div>
  );
}

function PlannerFigure({ term, value, detail }: { term: string; value: string; detail?: ReactNode }) {
  return (
    <div>
      <dt className="text-quiet text-sm">{term}</dt>
      <dd className="font-serif text-xl">
        {value}
        {detail && <span className="ml-2 font-sans text-quiet text-sm">{detail}</span>}
      </dd>
    </div>
  );
}
