import { plural, t } from "@lingui/core/macro";
import { reasonText } from "@/api/sentence-text";
import type { AttemptShown } from "@/api/types";
import { Badge, type BadgeTone } from "@/components/ui/Badge";
import { Button } from "@/components/ui/Button";
import { type Column, DataTable } from "@/components/ui/DataTable";
import { RelativeTime } from "@/components/ui/RelativeTime";
import { Section } from "@/components/ui/Section";
import { useFirstRows } from "@/components/use-first-rows";
import { durationText } from "@/lib/durations";
import { sentence } from "@/lib/prose";

const FIRST_SHOWN = 10;

const OUTCOMES: Record<string, [string, BadgeTone]> = {
  delivered: [t`Delivered`, "ok"],
  again: [t`Failed`, "plain"],
  failed: [t`Failed`, "danger"],
  cancelled: [t`Cancelled`, "quiet"],
  lost: [t`Interrupted`, "plain"],
};

const COLUMNS: Column<AttemptShown>[] = [
  {
    id: "number",
    header: t`Attempt`,
    names: true,
    className: "whitespace-nowrap",
    cell: ({ number }) => t`Attempt ${number}`,
  },
  {
    id: "began",
    header: t`Started`,
    className: "whitespace-nowrap",
    cell: ({ started_at }) => <RelativeTime at={started_at} />,
  },
  { id: "took", header: t`Duration`, align: "end", className: "whitespace-nowrap", cell: tookText },
  { id: "outcome", header: t`Outcome`, cell: (attempt) => <Outcome {...attempt} /> },
  {
    id: "reason",
    header: t`Reason`,
    cell: (attempt) => <span className="wrap-anywhere">{howItEnded(attempt.outcome, reasonText(attempt))}</span>,
  },
];

/** The attempts of a transfer, latest first. */
export function AttemptsSection({ attempts }: { attempts: readonly AttemptShown[] }) {
  const { shown, hidden, showAll } = useFirstRows(attempts.toReversed(), FIRST_SHOWN, "attempts");
  if (attempts.length === 0) return null;
  return (
    <Section title={t`Attempts`}>
      <DataTable
        caption={t`Attempts, the latest first`}
        columns={COLUMNS}
        rows={shown}
        rowId={({ number }) => String(number)}
        footer={
          hidden > 0 && (
            <Button
              onClick={showAll}
            >{t`Show ${plural(hidden, { one: "# earlier attempt", other: "# earlier attempts" })}`}</Button>
          )
        }
      />
    </Section>
  );
}

function Outcome({ outcome }: AttemptShown) {
  if (outcome === null) return <Badge>{t`In progress`}</Badge>;
  const [word, tone] = OUTCOMES[outcome] ?? [outcome, "plain"];
  return <Badge tone={tone}>{word}</Badge>;
}

function tookText({ started_at, ended_at }: AttemptShown): string {
  return ended_at === null ? "–" : durationText(new Date(ended_at).getTime() - new Date(started_at).getTime());
}

function howItEnded(outcome: string | null, reason: string | null): string {
  if (reason) return sentence(reason);
  return outcome === "lost" ? t`This gateway stopped while sending.` : "–";
}
