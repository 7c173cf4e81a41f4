import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Link } from "@tanstack/react-router";
import type { TransferShown } from "@/api/types";
import { TimingBar } from "@/components/TimingBar";
import { Bytes } from "@/components/ui/Bytes";
import type { Column } from "@/components/ui/DataTable";
import { RelativeTime } from "@/components/ui/RelativeTime";
import { DENSE_TITLE, ROW_LINK, type RowColumn, RowTitle } from "@/components/ui/RowList";
import { durationText } from "@/lib/durations";
import { listText, withOthers } from "@/lib/prose";
import { TransferState } from "./TransferState";
import { segmentsOf, wasMeasured } from "./timing";

const STATE: RowColumn<TransferShown> = {
  id: "state",
  header: t`State`,
  width: "minmax(0,16rem)",
  cell: (transfer) => <TransferState transfer={transfer} />,
};

const SENT: RowColumn<TransferShown> = {
  id: "sent",
  header: t({ context: "time", message: "Sent" }),
  width: "8rem",
  fact: "named",
  cell: ({ created_at }) => <RelativeTime at={created_at} />,
};

/** The columns of an author's own transfers. */
export const SENT_COLUMNS: readonly RowColumn<TransferShown>[] = [
  {
    id: "document",
    header: t`Document`,
    names: true,
    width: "minmax(0,1fr)",
    cell: ({ id, name }) => (
      <RowTitle className={DENSE_TITLE}>
        <Link to="/sent/$id" params={{ id }} title={name} className={ROW_LINK}>
          {name}
        </Link>
      </RowTitle>
    ),
  },
  {
    id: "recipients",
    header: t`Recipients`,
    width: "minmax(0,0.9fr)",
    cell: (transfer) => (
      <p className="wrap-anywhere line-clamp-2 text-quiet text-sm md:line-clamp-1" title={recipientsText(transfer)}>
        {recipientsText(transfer)}
      </p>
    ),
  },
  // Wide enough for most reasons to wait, on two lines.
  { ...STATE, width: "minmax(14rem,0.9fr)" },
  {
    id: "size",
    header: t`Size`,
    width: "5.5rem",
    fact: "unnamed",
    className: "text-sm md:text-right",
    cell: ({ document_bytes }) => <Bytes value={document_bytes} />,
  },
  { ...SENT, width: "7rem", className: "text-sm" },
];

function recipientsText({ recipient_names, peer, plan }: TransferShown): string {
  const to = t`To ${listText(recipient_names)} at ${peer}`;
  return plan.batch === null ? to : `${to}, ${withOthers(plan.batch)}`;
}

/** The columns of the admin's list of all transfers. */
export const ALL_COLUMNS: readonly Column<TransferShown>[] = [
  {
    id: "document",
    header: t`Document`,
    names: true,
    className: "sm:w-[22%]",
    cell: ({ id, name }) => (
      <Link
        to="/sent/$id"
        params={{ id }}
        title={name}
        className="wrap-anywhere line-clamp-2 leading-6 sm:line-clamp-1"
      >
        {name}
      </Link>
    ),
  },
  {
    id: "way",
    header: t`Author and recipients`,
    className: "sm:w-[24%]",
    cell: ({ author_name, recipient_names, peer }) => (
      <span
        className="wrap-anywhere line-clamp-3 sm:line-clamp-1"
        title={t`${{ author: author_name }} to ${{ recipients: listText(recipient_names) }} at ${peer}`}
      >
        <Trans>
          {author_name}
          <span className="text-quiet"> to </span>
          {listText(recipient_names)}
          <span className="text-quiet"> at </span>
          {peer}
        </Trans>
      </span>
    ),
  },
  // Wide enough for most reasons of failures.
  { ...STATE, className: "sm:w-[20%]" },
  {
    id: "timing",
    header: t`Timing`,
    className: "lg:min-w-64",
    cell: (transfer) => <Timing transfer={transfer} />,
  },
  SENT,
];

function Timing({ transfer }: { transfer: TransferShown }) {
  if (!transfer.timings) return <span className="text-quiet">–</span>;
  if (!wasMeasured(transfer)) return <span className="text-quiet">{t`No timings`}</span>;
  const { total = 0, response = 0 } = transfer.timings;
  const { estimate } = transfer.plan;
  return (
    <span className="flex items-center gap-2 whitespace-nowrap max-sm:flex-wrap">
      <span aria-hidden className="w-16">
        {durationText(total)}
      </span>
      <span className="w-20 shrink-0">
        <TimingBar compact caption={t`Timing of ${transfer.name}`} segments={segmentsOf(transfer)} totalMs={total} />
      </span>
      {typeof estimate?.expected_ms === "number" && (
        <span
          className="text-quiet"
          title={t`Response ${durationText(response)}, estimate ${durationText(estimate.predicted_ms)}`}
        >{t`estimate ${durationText(estimate.predicted_ms)}`}</span>
      )}
    </span>
  );
}
