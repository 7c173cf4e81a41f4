import { t } from "@lingui/core/macro";
import { useQueryClient } from "@tanstack/react-query";
import { renameDraft } from "@/api/drafts";
import type { DraftShown } from "@/api/types";
import { announce } from "@/components/announce";
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
      title={t`Rename document`}
      first={draft.name}
      confirm={t`Rename`}
      onName={async (name) => {
        if (name !== draft.name) {
          try {
            await renameDraft(draft.id, draft.revision, name);
          } finally {
            await reload();
          }
          announce(t`Renamed to ${name}`);
        }
        onOpenChange(false);
      }}
    />
  );
}
