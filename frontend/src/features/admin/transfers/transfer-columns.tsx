import { Link } from "@tanstack/react-router";
import type { TransferShown } from "@/api/types";
import { TimingBar } from "@/components/TimingBar";
import type { Column } from "@/components/ui/DataTable";
import { RelativeTime } from "@/components/ui/RelativeTime";
import { TransferState } from "@/features/transfers/TransferState";
import { segmentsOf, wasMeasured } from "@/features/transfers/timing";
import { durationText } from "@/lib/durations";
import { listText } from "@/lib/prose";

/** The columns of everybody's transfers. */
export const TRANSFER_COLUMNS: Column<TransferShown>[] = [
  {
    id: "document",
    header: "Document",
    names: true,
    className: "sm:w-[28%]",
    cell: ({ id, name }) => (
      <Link to="/sent/$id" params={{ id }} className="wrap-anywhere line-clamp-2 leading-6">
        {name}
      </Link>
    ),
  },
  {
    id: "way",
    header: "Author and recipients",
    cell: ({ author, recipients, peer }) => (
      <span className="wrap-anywhere line-clamp-3">
        {author}
        <span className="text-quiet"> to </span>
        {listText(recipients)}
        <span className="text-quiet"> at </span>
        {peer}
      </span>
    ),
  },
  { id: "state", header: "State", cell: (transfer) => <TransferState transfer={transfer} /> },
  {
    id: "timing",
    header: "Timing",
    className: "sm:min-w-48 lg:min-w-72",
    cell: (transfer) => <Timing transfer={transfer} />,
  },
  {
    id: "sent",
    header: "Sent",
    className: "whitespace-nowrap",
    cell: ({ created_at }) => <RelativeTime at={created_at} />,
  },
];

function Timing({ transfer }: { transfer: TransferShown }) {
  if (!transfer.timings) return <span className="text-quiet">–</span>;
  if (!wasMeasured(transfer)) return <span className="text-quiet">No timings</span>;
  const { total = 0, response = 0 } = transfer.timings;
  const { estimate } = transfer.plan;
  return (
    <span className="flex flex-col gap-1">
      <span aria-hidden>{durationText(total)}</span>
      <TimingBar compact caption={`Timing of ${transfer.name}`} segments={segmentsOf(transfer)} totalMs={total} />
      {estimate && (
        <span className="flex flex-wrap gap-x-1 whitespace-nowrap text-quiet text-sm">
          <span>Response {durationText(response)}, </span>
          <span>estimate {durationText(estimate.predicted_ms)}</span>
        </span>
      )}
    </span>
  );
}
