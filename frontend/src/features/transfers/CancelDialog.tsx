import { t } from "@lingui/core/macro";
import { ConfirmDialog, type ConfirmDialogProps } from "@/components/ui/ConfirmDialog";

interface CancelDialogProps extends Pick<ConfirmDialogProps, "open" | "onClose" | "action" | "onConfirm"> {
  peer: string;
}

/** Asks before a transfer is cancelled. */
export function CancelDialog({ peer, ...dialog }: CancelDialogProps) {
  return (
    <ConfirmDialog {...dialog} title={t`Cancel this transfer?`} confirm={t`Cancel transfer`} cancel={t`Keep sending`}>
      <p className="wrap-anywhere">{t`This gateway stops sending, and ${peer} does not deliver the document. Anything already sent on the plain channel may have been read in transit.`}</p>
      <p className="mt-2">{t`If ${peer} already has the whole document, it delivers it anyway.`}</p>
    </ConfirmDialog>
  );
}
