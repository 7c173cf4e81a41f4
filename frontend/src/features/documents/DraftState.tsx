import { Ban, CircleCheck, PencilLine, Send, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import type { DraftShown } from "@/api/types";
import { useProgress } from "@/app/live";
import { ChannelProgress } from "@/components/ChannelProgress";
import { Badge } from "@/components/ui/Badge";
import { RelativeTime } from "@/components/ui/RelativeTime";
import { cx } from "@/lib/cx";
import { changedSinceSent, type LastTransfer } from "./draft-state";

/** The state of a draft: never sent, being sent, delivered, or why it failed. */
export function DraftState({ draft }: { draft: DraftShown }) {
  const last = draft.last_transfer;
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm md:flex-nowrap">
      {last ? (
        <TransferState last={last} />
      ) : (
        <Line icon={<PencilLine />} className="text-quiet">
          Never sent
        </Line>
      )}
      {changedSinceSent(draft) && <Badge tone="quiet">Changed since last sent</Badge>}
    </div>
  );
}

function TransferState({ last }: { last: LastTransfer }) {
  switch (last.state) {
    case "delivered":
      return (
        <Line icon={<CircleCheck className="text-ok" />}>
          Delivered to {last.peer} <RelativeTime at={last.delivered_at ?? last.created_at} />
        </Line>
      );
    case "failed":
      return (
        <Line icon={<TriangleAlert />} className="text-danger">
          Failed to send to {last.peer}
          {last.reason && `: ${last.reason}`}
        </Line>
      );
    case "cancelled":
      return (
        <Line icon={<Ban />} className="text-quiet">
          Cancelled before delivery to {last.peer}
        </Line>
      );
    default:
      return <UnderWay last={last} />;
  }
}

function UnderWay({ last }: { last: LastTransfer }) {
  const progress = useProgress(last.id);
  const moving = progress?.state === "sending" && progress.secure_total + progress.plain_total > 0;
  return (
    <>
      <Line icon={<Send />}>
        Sending to {last.peer}
        {last.state === "queued" && last.reason && <span className="text-quiet">: {last.reason}</span>}
      </Line>
      {moving && <ChannelProgress compact progress={progress} className="w-40" />}
    </>
  );
}

function Line({ icon, className, children }: { icon: ReactNode; className?: string; children: ReactNode }) {
  return (
    <span className={cx("flex min-w-0 items-start gap-1.5", className)}>
      <span aria-hidden className="mt-[3px] [&_svg]:size-3.5">
        {icon}
      </span>
      <span className="wrap-anywhere line-clamp-3 min-w-0 md:line-clamp-1">{children}</span>
    </span>
  );
}
