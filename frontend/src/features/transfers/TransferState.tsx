import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { reasonText } from "@/api/sentence-text";
import type { TransferShown } from "@/api/types";
import { ChannelProgress } from "@/components/ChannelProgress";
import { RelativeTime } from "@/components/ui/RelativeTime";
import { cx } from "@/lib/cx";
import { useProgress } from "@/session/live";
import { Countdown } from "./Countdown";
import { PhaseIcon } from "./PhaseIcon";
import { PHASE_WORD, type Phase, phaseOf, progressOf, withLatest } from "./phase";

const LATER_MS = 60_000;

/** The state of a transfer for a row of a list: live progress while it is sent, the reason if it failed. */
export function TransferState({ transfer: row }: { transfer: TransferShown }) {
  const progress = useProgress(row.id);
  const transfer = withLatest(row, progress);
  const phase = phaseOf(transfer, progress);
  const moving = progressOf(transfer, progress);
  return (
    <div className="my-0.5 flex flex-col gap-1.5 text-sm">
      <span className={cx("flex items-start gap-1.5", phase === "failed" && "text-danger")}>
        <PhaseIcon phase={phase} className="mt-[3px] size-3.5" />
        <span className="wrap-anywhere line-clamp-3 min-w-0">
          {PHASE_WORD[phase]}
          <Detail transfer={transfer} phase={phase} />
        </span>
      </span>
      {moving && <ChannelProgress compact progress={moving} className="w-44 max-w-full" />}
    </div>
  );
}

function Detail({ transfer, phase }: { transfer: TransferShown; phase: Phase }) {
  const { next_try_at, created_at, delivered_at } = transfer;
  const reason = reasonText(transfer);
  switch (phase) {
    case "delivered":
      // The row shows when it was sent; the delivery matters only if it was much later.
      return delivered_at && Date.parse(delivered_at) - Date.parse(created_at) > LATER_MS ? (
        <>
          {" "}
          <RelativeTime at={delivered_at} />
        </>
      ) : null;
    case "waiting":
      if (!reason) return null;
      return (
        <span className="text-quiet">
          {next_try_at && (
            <Trans>
              , next attempt <Countdown at={next_try_at} due={t`now`} />
            </Trans>
          )}
          {t`: ${reason}`}
        </span>
      );
    case "failed":
      return reason && t`: ${reason}`;
    case "verified":
      return <span className="text-quiet">{t`, waiting for receipt`}</span>;
    default:
      return null;
  }
}
