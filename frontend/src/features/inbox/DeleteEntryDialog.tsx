import type { EntryShown } from "@/api/types";
import { ConfirmDialog, type ConfirmDialogProps } from "@/components/ui/ConfirmDialog";

interface DeleteEntryDialogProps extends Pick<ConfirmDialogProps, "open" | "onClose" | "action" | "onConfirm"> {
  entry: EntryShown;
}

/** Asks before a received document is deleted. */
export function DeleteEntryDialog({ entry, ...dialog }: DeleteEntryDialogProps) {
  return (
    <ConfirmDialog {...dialog} title="Delete this document?" confirm="Delete">
      <p className="wrap-anywhere">“{entry.name}” will be removed from your inbox. This can’t be undone.</p>
      <p className="mt-2">
        Other recipients keep their copy. The gateway deletes the document when the last recipient deletes it. The
        sender is not notified, and the receipt stays valid.
      </p>
    </ConfirmDialog>
  );
}
