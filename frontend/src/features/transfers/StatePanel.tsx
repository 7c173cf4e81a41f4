import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import type { ReactNode } from "react";
import { reasonText } from "@/api/sentence-text";
import type { ProgressShown, TransferWhole } from "@/api/types";
import { ChannelProgress } from "@/components/ChannelProgress";
import { capitalised, sentence } from "@/lib/prose";
import { absoluteText } from "@/lib/times";
import { Countdown } from "./Countdown";
import { actualMode, channelBytesOf } from "./channel-bytes";
import { PhaseIcon } from "./PhaseIcon";
import { type Phase, phaseOf, progressOf } from "./phase";
import { SentBeforeEnd } from "./SentBeforeEnd";

interface StatePanelProps {
  transfer: TransferWhole;
  progress: ProgressShown | null;
  /** The author has cancelled it, and the gateway is telling the peer. */
  cancelling: boolean;
  /** Below the sentence, such as a digest. */
  children?: ReactNode;
}

/** The state of a transfer in a sentence, and its progress on both channels. */
export function StatePanel({ transfer, progress, cancelling, children }: StatePanelProps) {
  const phase = phaseOf(transfer, progress);
  return (
    <section aria-label={t`Status`} className="rounded-lg bg-paper px-5 py-6 shadow-sheet sm:px-8 sm:py-8">
      <div className="flex gap-3 sm:gap-4">
        <PhaseIcon phase={phase} className="mt-1 size-6 stroke-[1.5] sm:size-7" />
        <div className="flex min-w-0 flex-1 flex-col gap-2">
          <h2 className="wrap-anywhere font-serif text-2xl leading-snug">
            {cancelling ? t`Cancelling…` : headlineOf(phase, transfer)}
          </h2>
          <div className="wrap-anywhere flex max-w-prose flex-col gap-1 text-quiet">
            {cancelling ? (
              <p>{t`Waiting for ${transfer.peer} to confirm.`}</p>
            ) : (
              <Detail phase={phase} transfer={transfer} />
            )}
          </div>
          {children}
        </div>
      </div>
      <div className="mt-8 sm:pl-11">
        <Channels phase={phase} transfer={transfer} progress={progress} />
      </div>
    </section>
  );
}

/** The sentence for a phase, shown and announced. */
export function headlineOf(phase: Phase, { peer, reason }: { peer: string; reason: string | null }): string {
  switch (phase) {
    case "waiting":
      return reason ? t`Waiting to retry` : t`Waiting in the queue`;
    case "reaching":
      return t`Connecting to ${peer}`;
    case "sending":
      return t`Sending to ${peer}`;
    case "verified":
      return t`${capitalised(peer)} has the whole document. Waiting for its receipt.`;
    case "delivered":
      return t`Delivered to ${peer}. Receipt checked.`;
    case "failed":
      return t`Could not deliver to ${peer}`;
    case "cancelled":
      return t`Cancelled`;
  }
}

/** What a document waits for that was not tried yet. */
function TurnText({ transfer: { ahead, collecting, peer } }: { transfer: TransferWhole }) {
  if (collecting) return <p>{t`The gateway waits for more documents to ${peer}, to send them together.`}</p>;
  if (!ahead) return null;
  return (
    <p>
      {plural(ahead, {
        one: `# document to ${peer} goes first.`,
        other: `# documents to ${peer} go first.`,
      })}
    </p>
  );
}

function Detail({ phase, transfer }: { phase: Phase; transfer: TransferWhole }) {
  const { next_try_at, unreachable_since, deadline_at, peer } = transfer;
  const reason = reasonText(transfer);
  const lang = transfer.said ? undefined : "en";
  switch (phase) {
    case "waiting":
      return (
        <>
          {reason && (
            <p lang={lang} className="text-ink">
              {sentence(reason)}
            </p>
          )}
          {reason && unreachable_since && (
            <p>{t`${capitalised(peer)} has been unreachable since ${absoluteText(new Date(unreachable_since))}. The document is sent as soon as ${peer} is back, until the deadline.`}</p>
          )}
          {reason && next_try_at && !unreachable_since && (
            <p>
              <Trans>
                Next attempt <Countdown at={next_try_at} due={t`now, as soon as the peer is free`} />. Retries continue
                until the deadline.
              </Trans>
            </p>
          )}
          {!reason && <TurnText transfer={transfer} />}
          {!reason && <p>{t`The document is stored here and will be sent automatically.`}</p>}
        </>
      );
    case "failed":
      return (
        <>
          {reason && (
            <p lang={lang} className="text-danger">
              {sentence(reason)}
            </p>
          )}
          <p>
            {new Date(deadline_at).getTime() > Date.now()
              ? transfer.unknown_recipients
                ? t`Correct the recipients to send the document to people whom the gateway knows.`
                : t`There will be no automatic retry. Fix the cause, then retry now or send the document again.`
              : t`The deadline has passed. You can send the document again.`}
          </p>
        </>
      );
    case "cancelled":
      return <p>{t`This gateway has stopped sending it. You can send the document again.`}</p>;
    case "delivered":
      return <p>{t`Every digest in the receipt matches what was sent.`}</p>;
    case "verified":
      return (
        <p>{t`${capitalised(peer)} is assembling, checking and storing the document. It counts as delivered once the receipt arrives.`}</p>
      );
    default:
      return null;
  }
}

function Channels({ phase, transfer, progress }: Omit<StatePanelProps, "cancelling" | "children"> & { phase: Phase }) {
  if (phase === "failed" || phase === "cancelled") return <SentBeforeEnd transfer={transfer} />;
  const bytes = channelBytesOf(transfer, actualMode(transfer));
  const done = phase === "delivered" || phase === "verified";
  const still = {
    secure_total: bytes.secure,
    plain_total: bytes.plain,
    secure_sent: done ? bytes.secure : 0,
    plain_sent: done ? bytes.plain : 0,
    channels: [],
  };
  return <ChannelProgress progress={progressOf(transfer, progress) ?? still} />;
}
