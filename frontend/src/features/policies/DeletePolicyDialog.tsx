import { useMutation, useQueryClient } from "@tanstack/react-query";
import { deletePolicy } from "@/api/policies";
import { asProblem } from "@/api/problem";
import { ConfirmDialog } from "@/components/ui/ConfirmDialog";
import { toast } from "@/components/ui/toasts";

interface DeletePolicyDialogProps {
  name: string;
  version: number;
  onClose: () => void;
  onDeleted: () => void;
}

/** Asks before a policy is gone. */
export function DeletePolicyDialog({ name, version, onClose, onDeleted }: DeletePolicyDialogProps) {
  const client = useQueryClient();
  const known = { queryKey: ["policies", "one", name] };
  const deleting = useMutation({
    mutationFn: () => deletePolicy(name, version),
    onSuccess: () => {
      toast(`${name} is deleted`);
      // Whoever has left its page does not find it there again.
      client.removeQueries({ ...known, type: "inactive" });
      void client.invalidateQueries({ queryKey: ["policies", "list"] });
    },
  });
  // Left meanwhile: nobody is taken away from what is written elsewhere by then.
  const onSuccess = () => {
    onDeleted();
    client.removeQueries(known);
  };
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => open || onClose()}
      title={`Delete ${name}?`}
      confirm="Delete"
      busy={deleting.isPending}
      problem={deleting.error && asProblem(deleting.error)}
      onConfirm={() => deleting.mutate(undefined, { onSuccess })}
    >
      Nobody can mark with it any more. Marks that it made stay as they are, and its versions stay readable by their
      names.
    </ConfirmDialog>
  );
}
