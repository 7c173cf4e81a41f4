import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import type { ImportRow } from "@/api/people";
import { Badge, type BadgeTone } from "@/components/ui/Badge";
import { type Column, DataTable } from "@/components/ui/DataTable";
import { numberText } from "@/lib/numbers";
import { sentence } from "@/lib/prose";
import { countOf, differencesOf, rowsToShow } from "./import-rows";

/** What an import would do: totals, and a table of all rows but the unchanged ones. */
export function ImportPreview({ rows }: { rows: readonly ImportRow[] }) {
  const refused = countOf(rows, "refused");
  const shown = rowsToShow(rows);
  return (
    <>
      <dl className="flex flex-wrap gap-x-6 gap-y-1 text-sm">
        {TOTALS.map(([outcome, label]) => (
          <div key={outcome} className="flex gap-1.5">
            <dt className="text-quiet">{label}</dt>
            <dd className="font-medium tabular-nums">{numberText(countOf(rows, outcome))}</dd>
          </div>
        ))}
      </dl>
      {refused > 0 && (
        <p role="alert" className="text-danger text-sm">
          {plural(refused, {
            one: "# row is refused. Correct the file and choose it again: all rows are imported, or none.",
            other: "# rows are refused. Correct the file and choose it again: all rows are imported, or none.",
          })}
        </p>
      )}
      {shown.length > 0 ? (
        <DataTable caption={t`Preview`} columns={COLUMNS} rows={shown} rowId={({ line }) => `${line}`} />
      ) : (
        <p className="text-quiet text-sm">
          <Trans>Nothing would change.</Trans>
        </p>
      )}
    </>
  );
}

const TOTALS = [
  ["new", t`New`],
  ["changed", t`Changed`],
  ["unchanged", t`Unchanged`],
  ["refused", t`Refused`],
] as const;

const BADGES: Record<ImportRow["outcome"], [BadgeTone, string]> = {
  new: ["ok", t`New`],
  changed: ["plain", t`Changed`],
  unchanged: ["quiet", t`Unchanged`],
  refused: ["danger", t`Refused`],
};

const COLUMNS: readonly Column<ImportRow>[] = [
  {
    id: "login",
    header: t`Login`,
    names: true,
    className: "sm:min-w-44",
    cell: ({ login }) => <span className="wrap-anywhere">{login || t`No login`}</span>,
  },
  {
    id: "outcome",
    header: t`Result`,
    cell: ({ outcome }) => {
      const [tone, label] = BADGES[outcome];
      return <Badge tone={tone}>{label}</Badge>;
    },
  },
  {
    id: "details",
    header: t`Details`,
    className: "w-full",
    cell: (row) =>
      row.reason === null ? (
        <ul className="wrap-anywhere">
          {differencesOf(row).map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      ) : (
        <span className="wrap-anywhere text-danger">{sentence(row.reason)}</span>
      ),
  },
  { id: "line", header: t`Line`, align: "end", cell: ({ line }) => line },
];
