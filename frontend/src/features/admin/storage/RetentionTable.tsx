import { plural, t } from "@lingui/core/macro";
import type { RetentionShown } from "@/api/storage";
import { type Column, DataTable } from "@/components/ui/DataTable";
import { RelativeTime } from "@/components/ui/RelativeTime";
import { numberText } from "@/lib/numbers";

const DAY_S = 86_400;

const NAMES: Record<RetentionShown["kind"], string> = {
  received: t`Received documents`,
  deleted: t`Deleted documents and entries`,
  versions: t`Earlier versions of documents`,
  partials: t`Incomplete documents`,
  quarantine: t`Quarantine`,
  "timing-records": t`Timing records`,
  "timing-marks": t`Timestamps of transfers`,
  sessions: t`Sign-ins`,
  audit: t`Audit log`,
};

const COLUMNS: readonly Column<RetentionShown>[] = [
  { id: "name", header: t`What`, names: true, cell: ({ kind }) => NAMES[kind] },
  { id: "kept", header: t`Kept`, cell: (rule) => <span className="whitespace-nowrap">{keptText(rule)}</span> },
  {
    id: "setting",
    header: t`Set by`,
    cell: ({ setting }) =>
      setting === null ? (
        <span className="text-quiet">{t`Fixed`}</span>
      ) : (
        <code className="wrap-anywhere text-xs">{setting}</code>
      ),
  },
  { id: "oldest", header: t`Oldest`, cell: ({ oldest_at }) => (oldest_at ? <RelativeTime at={oldest_at} /> : "–") },
  { id: "run", header: t`To remove now`, align: "end", cell: ({ next_run }) => countOrDash(next_run) },
  { id: "day", header: t`To remove within a day`, align: "end", cell: ({ next_day }) => countOrDash(next_day) },
];

/** How long the gateway keeps what, and what it removes next. */
export function RetentionTable({ rules }: { rules: readonly RetentionShown[] }) {
  return <DataTable caption={t`How long it is kept`} columns={COLUMNS} rows={rules} rowId={({ kind }) => kind} />;
}

function keptText({ kind, kept_s }: RetentionShown): string {
  if (kept_s === null) return kind === "received" ? t`Until deleted` : t`Forever`;
  const days = kept_s / DAY_S;
  if (Number.isInteger(days)) return plural(days, { one: "# day", other: "# days" });
  const hours = Math.round(kept_s / 360) / 10;
  return plural(hours, { one: "# hour", other: "# hours" });
}

const countOrDash = (count: number | null) => (count === null ? "–" : numberText(count));
