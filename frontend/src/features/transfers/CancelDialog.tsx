import type { Problem } from "@/api/problem";
import { ConfirmDialog } from "@/components/ui/ConfirmDialog";

interface CancelDialogProps {
  peer: string;
  open: boolean;
  onOpenChange: (open: boolean) => void;
  busy: boolean;
  problem: Problem | null;
  onConfirm: () => void;
}

/** Asks before a transfer is cancelled. */
export function CancelDialog({ peer, ...rest }: CancelDialogProps) {
  return (
    <ConfirmDialog {...rest} title="Cancel this transfer?" confirm="Cancel transfer" cancel="Keep sending">
      <p className="wrap-anywhere">
        This gateway stops sending, and {peer} does not deliver the document. Anything already sent on the plain channel
        may have been read in transit.
      </p>
      <p className="mt-2">If {peer} already has the whole document, it delivers it anyway.</p>
    </ConfirmDialog>
  );
}
