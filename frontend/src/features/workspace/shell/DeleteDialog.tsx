import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { deleteDraft } from "@/api/drafts";
import type { DraftShown } from "@/api/types";
import { announce } from "@/components/announce";
import { ConfirmDialog } from "@/components/ui/ConfirmDialog";
import type { AnySaver } from "../saving/saver";

interface DeleteDialogProps {
  draft: DraftShown;
  /** Stops while it is being deleted: the news of that is no news here. Null: nothing is edited. */
  saver: AnySaver | null;
  open: boolean;
  onOpenChange: (open: boolean) => void;
  onDeleted: () => void;
}

/** Asks, then deletes. */
export function DeleteDialog({ draft, saver, open, onOpenChange, onDeleted }: DeleteDialogProps) {
  const client = useQueryClient();
  const deletion = useMutation({
    mutationFn: async () => {
      await saver?.flush();
      saver?.stop();
      try {
        await deleteDraft(draft.id);
      } catch (error) {
        saver?.start();
        throw error;
      }
    },
    onSuccess: () => {
      saver?.drop();
      announce(t`${{ name: draft.name }} was deleted`);
      void client.invalidateQueries({ queryKey: ["drafts", "list"] });
      onDeleted();
    },
  });
  return (
    <ConfirmDialog
      open={open}
      onClose={() => {
        deletion.reset();
        onOpenChange(false);
      }}
      title={t`Delete this document?`}
      confirm={t`Delete`}
      action={deletion}
      onConfirm={() => deletion.mutate()}
    >
      <p className="wrap-anywhere">
        <Trans>“{draft.name}” moves to Deleted in your documents, where you can restore it for some days.</Trans>
      </p>
      {draft.last_transfer && (
        <p className="mt-2">{t`Copies that were already delivered stay with their recipients.`}</p>
      )}
    </ConfirmDialog>
  );
}
