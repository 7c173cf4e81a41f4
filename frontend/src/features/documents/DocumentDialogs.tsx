import { useMutation, useQueryClient } from "@tanstack/react-query";
import { deleteDraft, renameDraft } from "@/api/drafts";
import type { DraftShown } from "@/api/types";
import { announce } from "@/components/announce";
import { ConfirmDialog } from "@/components/ui/ConfirmDialog";
import { toastError } from "@/components/ui/toasts";
import { useStillOpen } from "@/lib/use-still-open";
import { NameDialog } from "./NameDialog";

interface DocumentDialogProps {
  /** Its latest state. */
  draft: DraftShown;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

/** Renames a document. If it was saved meanwhile, the dialog says so, and the next attempt renames the new revision. */
export function RenameDialog({ draft, open, onOpenChange }: DocumentDialogProps) {
  const client = useQueryClient();
  const reload = () => client.invalidateQueries({ queryKey: ["drafts"] });
  return (
    <NameDialog
      open={open}
      onOpenChange={onOpenChange}
      title="Rename document"
      first={draft.name}
      confirm="Rename"
      onName={async (name) => {
        if (name !== draft.name) {
          try {
            await renameDraft(draft.id, draft.revision, name);
          } finally {
            await reload();
          }
          announce(`Renamed to ${name}`);
        }
        onOpenChange(false);
      }}
    />
  );
}

interface DeleteDialogProps extends DocumentDialogProps {
  /** Called after the deletion. `waited`: the dialog was still open. */
  onDeleted: (waited: boolean) => void;
}

/** Asks, then deletes the document. */
export function DeleteDialog({ draft, open, onOpenChange, onDeleted }: DeleteDialogProps) {
  const client = useQueryClient();
  const stillOpen = useStillOpen(open);
  const deletion = useMutation({
    mutationFn: () => deleteDraft(draft.id),
    onSuccess: async () => {
      announce(`${draft.name} deleted`);
      const waited = stillOpen.current;
      onOpenChange(false);
      await client.invalidateQueries({ queryKey: ["drafts"] });
      onDeleted(waited);
    },
    onError: (error) => {
      if (!stillOpen.current) toastError(`“${draft.name}” was not deleted.`, error);
    },
  });
  return (
    <ConfirmDialog
      open={open}
      onClose={() => onOpenChange(false)}
      title="Delete this document?"
      confirm="Delete"
      action={deletion}
      onConfirm={() => deletion.mutate()}
    >
      <p className="wrap-anywhere">“{draft.name}” will be deleted from this gateway. This can’t be undone.</p>
      {draft.last_transfer && <p className="mt-2">Recipients keep the copies they received.</p>}
    </ConfirmDialog>
  );
}
