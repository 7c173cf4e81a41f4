import { t } from "@lingui/core/macro";
import type { ReactNode } from "react";
import { saidText } from "@/api/sentence-text";
import type { TimingsCapacity } from "@/api/timings";
import { FigureTable } from "@/components/FigureTable";
import { Subsection } from "@/components/Subsection";
import { modeName } from "@/features/transfers/modes";
import { durationText } from "@/lib/durations";
import { numberText } from "@/lib/numbers";
import { percentText } from "@/lib/percent";
import { sentence } from "@/lib/prose";
import { sizeText } from "@/lib/sizes";
import { absoluteText } from "@/lib/times";
import { HOUR_S, highestLoad, isBusiest, MODEL_NAME } from "./capacity";
import { rateText } from "./queue";

/** A rate in a column of rates that are all per second, with as many figures as matter. */
function rateFigure(perSecond: number): string {
  return numberText(perSecond, { maximumSignificantDigits: 3 });
}

const time = (ms: number | null) => (ms === null ? "–" : durationText(ms));
const saturated = (perSecond: number | null) => (perSecond === null ? "–" : rateText(perSecond));

/** Everything that the panel draws and answers, as tables. */
export function CapacityTable({ capacity }: { capacity: TimingsCapacity }) {
  const { load, measured, models, curves, asked, answer } = capacity;
  return (
    <div className="flex flex-col gap-8">
      <Table
        title={t`What if`}
        columns={[t`Figure`, t`Value`]}
        rows={[
          [t`Arrival rate`, rateText(asked.rate_per_s)],
          [t`Document size`, sizeText(asked.document_bytes)],
          [t`Share classified`, percentText(asked.classified_share)],
          [t`Documents sent together`, numberText(asked.documents)],
          [t`Secure channels`, numberText(asked.secure_channels)],
          [t`Plain channels`, numberText(asked.plain_channels)],
          [t`Mean total time`, time(answer.response_ms)],
          [t`Sent over`, answer.mode === null ? "–" : modeName(answer.mode)],
          [t`Saturated at`, saturated(answer.saturation_per_s)],
        ]}
      >
        {answer.said.map((one) => (
          <p key={one.code} className="max-w-prose text-quiet text-sm">
            {sentence(saidText(one, one.text))}
          </p>
        ))}
      </Table>
      <Table
        title={t`An attempt without a queue`}
        columns={[
          t`Mode`,
          t({ context: "how long", message: "Time" }),
          t`± (95 %)`,
          t`Saturated at`,
          t`Fitted to`,
          t`Delivered`,
        ]}
        rows={curves.map(({ mode, demand_ms, demand_ci95_ms, saturation_per_s, sampled, count }) => [
          modeName(mode),
          time(demand_ms),
          time(demand_ci95_ms),
          saturated(saturation_per_s),
          numberText(sampled),
          numberText(count),
        ])}
      />
      <Table
        title={t`Measured load`}
        columns={[t`Figure`, t`Value`]}
        rows={[
          [t`Transfers ended, on average`, rateText(load.rate_per_s)],
          ...busiestRows(load),
          [t`Mean total time`, time(load.mean_response_ms)],
        ]}
      />
      <Table
        title={t`Measured periods`}
        columns={[t`Transfers a second`, t`Mean total time`, t`Transfers`]}
        rows={measured.map(([rate, response, count]) => [rateFigure(rate), durationText(response), numberText(count)])}
      >
        <p className="max-w-prose text-quiet text-sm">{t`Of all transfers, also where times are fitted to a sample.`}</p>
      </Table>
      <Table
        title={t`Models of the measured mix`}
        columns={[t`Model`, t`Servers`, t`Time for a transfer`, t`Saturated at`, t`Error`]}
        rows={models.map(({ name, servers, demand_ms, saturation_per_s, error_percent }) => [
          MODEL_NAME[name],
          numberText(servers),
          durationText(demand_ms),
          rateText(saturation_per_s),
          `${numberText(Math.round(error_percent))} %`,
        ])}
      />
      <Table
        title={t`Curves of the models`}
        columns={[t`Model`, t`Transfers a second`, t`Mean total time`]}
        rows={models.flatMap(({ name, points }) =>
          points.map(([rate, response]) => [MODEL_NAME[name], rateFigure(rate), durationText(response)]),
        )}
      />
      <Table
        title={t`Curves of each mode`}
        columns={[t`Mode`, t`Documents a second`, t`Mean total time`]}
        rows={curves.flatMap(({ mode, points }) =>
          points.map(([rate, response]) => [modeName(mode), rateFigure(rate), durationText(response)]),
        )}
      />
    </div>
  );
}

/** Of the busiest hour or day, if there was one. */
function busiestRows(load: TimingsCapacity["load"]): string[][] {
  if (load.busiest_at === null || !isBusiest(load)) return [];
  const { name, perSecond } = highestLoad(load);
  const rate = rateText(perSecond);
  return [
    [name, load.busiest_so_far ? t`${rate} so far` : rate],
    [
      load.busiest_span_s > HOUR_S ? t`Busiest day began` : t`Busiest hour began`,
      absoluteText(new Date(load.busiest_at)),
    ],
  ];
}

interface TableProps {
  title: string;
  columns: readonly string[];
  rows: readonly (readonly string[])[];
  children?: ReactNode;
}

/** A table below its name; none without rows. */
function Table({ title, columns, rows, children }: TableProps) {
  if (rows.length === 0) return null;
  return (
    <Subsection title={title}>
      {children}
      <FigureTable
        caption={title}
        columns={columns}
        // Two periods may have the same figures.
        rows={rows.map((cells, index) => ({ key: `${index} ${cells[0]}`, cells }))}
      />
    </Subsection>
  );
}
