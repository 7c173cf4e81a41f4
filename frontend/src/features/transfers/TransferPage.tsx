import { t } from "@lingui/core/macro";
import { getRouteApi } from "@tanstack/react-router";
import { Ban, RotateCw, Send } from "lucide-react";
import { type RefObject, useEffect, useRef, useState } from "react";
import { reasonText } from "@/api/sentence-text";
import type { TransferWhole } from "@/api/types";
import { announce } from "@/components/announce";
import { focusHeading } from "@/components/page-heading";
import { Button } from "@/components/ui/Button";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { PageHeader } from "@/components/ui/PageHeader";
import { Skeleton } from "@/components/ui/Skeleton";
import { listText, sentence } from "@/lib/prose";
import { useProgress } from "@/session/live";
import { useSession } from "@/session/session";
import { AttemptsSection } from "./AttemptsSection";
import { BackToList } from "./BackToList";
import { CancelDialog } from "./CancelDialog";
import { PlainDigest } from "./PlainDigest";
import { phaseOf, withLatest } from "./phase";
import { ReceiptSection } from "./ReceiptSection";
import { SendAgainDialog } from "./SendAgainDialog";
import { headlineOf, StatePanel } from "./StatePanel";
import { TimingSection } from "./TimingSection";
import { TransferFacts } from "./TransferFacts";
import { useTransfer } from "./use-transfer";
import { useTransferActions } from "./use-transfer-actions";

const route = getRouteApi("/in/sent/$id");

/** One transfer: its progress, and its receipt once it is delivered. For its author and for admins. */
export function TransferPage() {
  const { id } = route.useParams();
  const { data: transfer, error, isPending, refetch } = useTransfer(id);
  if (transfer) return <Whole key={id} transfer={transfer} problem={error} onRetry={() => void refetch()} />;
  return (
    <>
      <PageHeader title={t`Transfer`} above={<BackToList mine />} />
      {isPending ? (
        <Skeleton lines={5} label={t`Loading the transfer`} />
      ) : (
        <ErrorPanel title={t`Could not load the transfer.`} problem={error} onRetry={() => void refetch()} />
      )}
    </>
  );
}

interface WholeProps {
  transfer: TransferWhole;
  /** Why the page may be out of date. */
  problem: Error | null;
  onRetry: () => void;
}

function Whole({ transfer: row, problem, onRetry }: WholeProps) {
  const { person } = useSession();
  const progress = useProgress(row.id);
  const transfer = withLatest(row, progress);
  const [asking, setAsking] = useState(false);
  const actions = useTransferActions(transfer);
  const mine = person.is_author && transfer.author === person.name;
  const phase = phaseOf(transfer, progress);
  const open = phase === "waiting" || phase === "reaching" || phase === "sending";
  const inTime = new Date(transfer.deadline_at).getTime() > Date.now();
  const canTry = mine && inTime && (phase === "failed" || (phase === "waiting" && transfer.reason !== null));
  const canSendAgain = mine && (phase === "failed" || phase === "cancelled") && transfer.document_deleted_at === null;
  const [sendingAgain, setSendingAgain] = useState(false);
  const headline = headlineOf(phase, transfer);
  const acted = useFocusAfterAction(asking);
  const reason = reasonText(transfer);
  useAnnounced(phase === "failed" && reason ? `${headline}. ${sentence(reason)}` : headline);

  return (
    <>
      <PageHeader
        title={transfer.name}
        above={<BackToList mine={mine} />}
        actions={
          (canTry || canSendAgain || (mine && open)) && (
            <>
              {mine && open && (
                <Button
                  tone="danger"
                  icon={<Ban aria-hidden />}
                  disabled={actions.cancelling}
                  onClick={() => {
                    actions.cancel.reset();
                    setAsking(true);
                  }}
                >{t`Cancel`}</Button>
              )}
              {canSendAgain && (
                <Button
                  tone={transfer.unknown_recipients || !canTry ? "primary" : "quiet"}
                  icon={<Send aria-hidden />}
                  onClick={() => setSendingAgain(true)}
                >
                  {transfer.unknown_recipients ? t`Correct recipients` : t`Send again`}
                </Button>
              )}
              {canTry && !transfer.unknown_recipients && (
                <Button
                  tone="primary"
                  icon={<RotateCw aria-hidden />}
                  busy={actions.tryNow.isPending}
                  onClick={() => {
                    acted.current = true;
                    actions.tryNow.mutate();
                  }}
                >{t`Retry now`}</Button>
              )}
            </>
          )
        }
      >
        <span className="wrap-anywhere line-clamp-3">{t`To ${listText(transfer.recipient_names)} at ${transfer.peer}`}</span>
      </PageHeader>
      <div className="flex flex-col gap-10">
        <div className="flex flex-col gap-4">
          {problem && <ErrorPanel title={t`This page may be out of date.`} problem={problem} onRetry={onRetry} />}
          {actions.tryNow.error && <ErrorPanel title={t`Could not retry now.`} problem={actions.tryNow.error} />}
          {actions.notice && (
            <p className="wrap-anywhere rounded-md border border-edge/60 bg-sunken px-4 py-3 text-sm">
              {actions.notice}
            </p>
          )}
          <StatePanel transfer={transfer} progress={progress} cancelling={actions.cancelling}>
            {transfer.receipt && <PlainDigest transferId={transfer.id} />}
          </StatePanel>
        </div>
        <div className="grid gap-10 lg:grid-cols-2 lg:gap-x-14">
          <TransferFacts transfer={transfer} mine={mine} />
          <TimingSection transfer={transfer} />
        </div>
        {transfer.receipt && <ReceiptSection transfer={transfer} />}
        <AttemptsSection attempts={transfer.attempts} />
      </div>
      {canSendAgain && <SendAgainDialog transfer={transfer} open={sendingAgain} onOpenChange={setSendingAgain} />}
      {mine && (
        <CancelDialog
          peer={transfer.peer}
          open={asking}
          onClose={() => setAsking(false)}
          action={{ isPending: actions.cancel.isPending, error: actions.cancelError }}
          onConfirm={() => {
            acted.current = true;
            actions.cancel.mutate(undefined, {
              onSettled: (_, error) => {
                if (error && !actions.isTooLate(error)) return;
                setAsking(false);
              },
            });
          }}
        />
      )}
    </>
  );
}

/** Moves the focus to the heading after an action that removes its own button. The caller sets `current` to true. */
function useFocusAfterAction(asking: boolean): RefObject<boolean> {
  const acted = useRef(false);
  const asked = useRef(asking);
  // After each render, because any may remove the button.
  useEffect(() => {
    const answered = asked.current && !asking;
    asked.current = asking;
    if (!acted.current || asking || !(answered || document.activeElement === document.body)) return;
    acted.current = false;
    focusHeading();
  });
  return acted;
}

/** Announces each new sentence, but not the first. */
function useAnnounced(text: string): void {
  const announced = useRef(text);
  useEffect(() => {
    if (announced.current === text) return;
    announced.current = text;
    announce(text);
  }, [text]);
}
