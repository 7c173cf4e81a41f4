import { t } from "@lingui/core/macro";
import { FigureTable } from "@/components/FigureTable";
import { durationText } from "@/lib/durations";
import { numberText } from "@/lib/numbers";
import { absoluteText } from "@/lib/times";
import { causeText } from "./figures";
import { PHASES } from "./phases";
import { type Standout, standoutText } from "./standouts";

const COLUMNS = [
  t`What stands out`,
  t`Cause or phase`,
  t`Transfers or attempts`,
  t`Of`,
  t`Before`,
  t`Of, before`,
  t`Mean`,
  t`Mean before`,
  t`Mean with other peers`,
  t`Next try`,
];

/** What stands out, with all of its numbers. */
export function StandoutsTable({ items }: { items: readonly Standout[] }) {
  const count = (value: number | null | undefined) => (value == null ? "–" : numberText(value));
  const time = (ms: number | null | undefined) => (ms == null ? "–" : durationText(ms));
  return (
    <FigureTable
      caption={t`What stands out`}
      columns={COLUMNS}
      rows={items.map((found) => ({
        key: `${found.kind} ${found.peer} ${found.cause} ${found.phase}`,
        cells: [
          standoutText(found).title,
          PHASES.find(({ id }) => id === found.phase)?.label ??
            (causeText({ cause: found.cause ?? null, label: found.label ?? null }) || "–"),
          count(found.count),
          count(found.of),
          count(found.count_before),
          count(found.of_before),
          time(found.mean_ms),
          time(found.before_ms),
          time(found.others_ms),
          found.paused_until ? absoluteText(new Date(found.paused_until)) : "–",
        ],
      }))}
    />
  );
}
