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
      <p className="wrap-anywhere">“{entry.name}” will be removed from your inbox. This can’t be undone.</p>
      <p className="mt-2">
        Other recipients keep their copy. The gateway deletes the document when the last recipient deletes it. The
        sender is not notified, and the receipt stays valid.
      </p>
    </ConfirmDialog>
  );
}
