import { asProblem } from "@/api/problem";
import type { EntryShown } from "@/api/types";
import { ConfirmDialog } from "@/components/ui/ConfirmDialog";

interface DeleteEntryDialogProps {
  entry: EntryShown;
  open: boolean;
  onOpenChange: (open: boolean) => void;
  busy: boolean;
  error: unknown;
  onConfirm: () => void;
}

/** Asks before a received document goes. */
export function DeleteEntryDialog({ entry, error, ...rest }: DeleteEntryDialogProps) {
  return (
    <ConfirmDialog title="Delete this document?" confirm="Delete" problem={error ? asProblem(error) : null} {...rest}>
      <p className="wrap-anywhere">“{entry.name}” goes out of your inbox, and cannot be brought back.</p>
      <p className="mt-2">
        Others to whom it was sent keep it; with the last of them it goes from this gateway. The sender is not told, and
        the receipt stays good.
      </p>
    </ConfirmDialog>
  );
}
