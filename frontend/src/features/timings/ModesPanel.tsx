import { plural, t } from "@lingui/core/macro";
import type { TimingsModes } from "@/api/timings";
import { FigureTable } from "@/components/FigureTable";
import { Subsection } from "@/components/Subsection";
import { durationText } from "@/lib/durations";
import { numberText } from "@/lib/numbers";
import { percentText } from "@/lib/percent";
import { shareClassText, sizeClassText } from "./classes";
import { ModeMatrix } from "./ModeMatrix";
import { breakEvenText, countVerdicts, intervalText, type ModeCell, signedPercent } from "./modes-compared";
import { Panel } from "./Panel";
import { useTimings } from "./use-timings";

const PLANNER = t`The planner`;
const COLUMNS = [
  t`Size and share classified`,
  t`Improvement`,
  t`95 % interval`,
  t`Both channels`,
  "n",
  t`Secure channel only`,
  t`n, secure channel only`,
];

/** Both channels compared with the secure channel only, and what the planner expected. */
export function ModesPanel() {
  const loaded = useTimings("modes");
  return (
    <Panel
      lead={t`How much faster the mean response is over both channels than over the secure channel only, by size and share classified, with its 95 % interval and the number of transfers over both channels and over the secure channel only.`}
      part="modes"
      loaded={loaded}
      isEmpty={({ cells }) => cells.length === 0}
      empty={t`No delivered transfers here. Choose a longer time range, or remove a filter.`}
      table={({ cells, break_even, planner }) => (
        <div className="flex flex-col gap-8">
          <ModeTable cells={cells} />
          <Subsection title={t`Break-even`}>
            <FigureTable
              caption={t`Break-even`}
              columns={[t`Size`, t`Share classified`]}
              rows={break_even.map((found) => ({
                key: found.size,
                cells: [sizeClassText(found.size), breakEvenText(found)],
              }))}
            />
          </Subsection>
          <Subsection title={PLANNER}>
            <FigureTable
              caption={PLANNER}
              columns={[t`Figure`, t`Value`, t`Details`]}
              rows={plannerFigures(planner).map(({ term, value, detail }) => ({
                key: term,
                cells: [term, value, detail],
              }))}
            />
          </Subsection>
        </div>
      )}
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

interface Figure {
  term: string;
  value: string;
  detail: string;
}

/** The planner's estimates, of the response and of what authors were shown, and what came. */
function plannerFigures(planner: TimingsModes["planner"]): Figure[] {
  const { predicted, within_two, within_two_share, other_faster, other_faster_share } = planner;
  const { expected, expected_within_two, expected_within_two_share, mean_expected_ms, mean_turnaround_ms } = planner;
  const part = (count: number, of: number) =>
    t`${numberText(count)} of ${plural(of, { one: "# transfer", other: "# transfers" })}`;
  const figures: Figure[] = [];
  if (within_two_share !== null && other_faster_share !== null) {
    figures.push(
      {
        term: t`Automatic: response was half to twice the estimate`,
        value: percentText(within_two_share),
        detail: part(within_two, predicted),
      },
      {
        term: t`Automatic: the other mode would have been faster, by its estimate`,
        value: percentText(other_faster_share),
        detail: part(other_faster, predicted),
      },
    );
  }
  if (expected_within_two_share !== null && mean_expected_ms !== null && mean_turnaround_ms !== null) {
    figures.push(
      {
        term: t`Sending took half to twice as long as authors were shown`,
        value: percentText(expected_within_two_share),
        detail: part(expected_within_two, expected),
      },
      {
        term: t`Sending took, on average`,
        value: durationText(mean_turnaround_ms),
        detail: t`shown on average: ${durationText(mean_expected_ms)}`,
      },
    );
  }
  return figures;
}

/** The planner's estimates beside what came. */
function Planner({ planner }: { planner: TimingsModes["planner"] }) {
  const figures = plannerFigures(planner);
  return (
    <Subsection title={PLANNER}>
      {figures.length === 0 ? (
        <p className="text-quiet text-sm">{t`None of these transfers has an estimate. Transfers whose mode is chosen automatically will have one.`}</p>
      ) : (
        <>
          <dl className="grid grid-cols-1 gap-x-6 gap-y-4 sm:grid-cols-2 lg:grid-cols-4">
            {figures.map(({ term, value, detail }) => (
              <div key={term} className="flex flex-col justify-between gap-1">
                <dt className="text-quiet text-sm">{term}</dt>
                <dd>
                  <span className="block font-serif text-xl">{value}</span>
                  <span className="text-quiet text-sm">{detail}</span>
                </dd>
              </div>
            ))}
          </dl>
          <p className="max-w-prose text-quiet text-sm">
            {planner.expected > 0
              ? t`Authors are shown how long sending should take, until the receipt, once that estimate is reliable. Less than a second counts as one, because they see “under a second”.`
              : t`No author was shown how long sending should take: these estimates were not reliable enough yet.`}
          </p>
        </>
      )}
    </Subsection>
  );
}
