import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Ban, CircleCheck, PencilLine, Send, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { reasonText } from "@/api/sentence-text";
import type { DraftShown } from "@/api/types";
import { ChannelProgress } from "@/components/ChannelProgress";
import { Badge } from "@/components/ui/Badge";
import { RelativeTime } from "@/components/ui/RelativeTime";
import { cx } from "@/lib/cx";
import { useProgress } from "@/session/live";
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
          <Trans>Never sent</Trans>
        </Line>
      )}
      {changedSinceSent(draft) && (
        <Badge tone="quiet">
          <Trans>Changed since last sent</Trans>
        </Badge>
      )}
    </div>
  );
}

function TransferState({ last }: { last: LastTransfer }) {
  const { peer } = last;
  const reason = reasonText(last);
  switch (last.state) {
    case "delivered":
      return (
        <Line icon={<CircleCheck className="text-ok" />}>
          <Trans>
            Delivered to {peer} <RelativeTime at={last.delivered_at ?? last.created_at} />
          </Trans>
        </Line>
      );
    case "failed":
      return (
        <Line icon={<TriangleAlert />} className="text-danger">
          {reason ? t`Failed to send to ${peer}: ${reason}` : t`Failed to send to ${peer}`}
        </Line>
      );
    case "cancelled":
      return (
        <Line icon={<Ban />} className="text-quiet">
          {t`Cancelled before delivery to ${peer}`}
        </Line>
      );
    default:
      return <UnderWay last={last} />;
  }
}

function UnderWay({ last }: { last: LastTransfer }) {
  const { peer } = last;
  const reason = reasonText(last);
  const progress = useProgress(last.id);
  const moving = progress?.state === "sending" && progress.secure_total + progress.plain_total > 0;
  return (
    <>
      <Line icon={<Send />}>
        {t`Sending to ${peer}`}
        {last.state === "queued" && reason && <span className="text-quiet">: {reason}</span>}
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
