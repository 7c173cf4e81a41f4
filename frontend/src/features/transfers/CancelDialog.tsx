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

/** Asks before a transfer is ended. */
export function CancelDialog({ peer, ...rest }: CancelDialogProps) {
  return (
    <ConfirmDialog {...rest} title="Cancel this transfer?" confirm="Cancel the transfer" cancel="Keep sending">
      <p className="wrap-anywhere">
        Nothing more is sent, and {peer} delivers nothing. What has already left on the plain channel could be read on
        the way.
      </p>
      <p className="mt-2">If {peer} has every byte by then, it is too late, and the document is delivered.</p>
    </ConfirmDialog>
  );
}
