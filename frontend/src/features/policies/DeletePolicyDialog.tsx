import { t } from "@lingui/core/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { deletePolicy } from "@/api/policies";
import { ConfirmDialog } from "@/components/ui/ConfirmDialog";
import { toast, toastError } from "@/components/ui/toasts";
import { useStillOpen } from "@/lib/use-still-open";

interface DeletePolicyDialogProps {
  name: string;
  version: number;
  open: boolean;
  onClose: () => void;
  /** Called if the page is still open, even if the dialog was closed. */
  onDeleted: () => void;
}

/** Asks before a policy is deleted. Mount it as long as the policy's page is open. */
export function DeletePolicyDialog({ name, version, open, onClose, onDeleted }: DeletePolicyDialogProps) {
  const client = useQueryClient();
  const known = { queryKey: ["policies", "one", name] };
  // A person who closed the dialog or left the page while the gateway was deleting sees the result as a notice.
  const stillOpen = useStillOpen(open);
  const deleting = useMutation({
    mutationFn: () => deletePolicy(name, version),
    onSuccess: () => {
      toast(t`${name} deleted`);
      // The deleted policy must not come from the cache later.
      client.removeQueries({ ...known, type: "inactive" });
      void client.invalidateQueries({ queryKey: ["policies", "list"] });
    },
    onError: (error) => {
      if (!stillOpen.current) toastError(t`Could not delete ${name}.`, error);
    },
  });
  // Not called after the page was left, so it never navigates away from another page.
  const onSuccess = () => {
    onDeleted();
    client.removeQueries(known);
  };
  const close = () => {
    onClose();
    if (!deleting.isPending) deleting.reset();
  };
  return (
    <ConfirmDialog
      open={open}
      onClose={close}
      title={t`Delete ${name}?`}
      confirm={t`Delete`}
      action={deleting}
      onConfirm={() => deleting.mutate(undefined, { onSuccess })}
    >{t`Authors can no longer mark documents with this policy. Existing marks do not change, and earlier versions stay readable.`}</ConfirmDialog>
  );
}
