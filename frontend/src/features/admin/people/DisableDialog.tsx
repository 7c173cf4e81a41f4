import { t } from "@lingui/core/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { changePerson, peopleQuery } from "@/api/people";
import type { PersonShown } from "@/api/types";
import { ConfirmDialog } from "@/components/ui/ConfirmDialog";
import { toast } from "@/components/ui/toasts";

/** Asks before an account is disabled, or enabled again. */
export function DisableDialog({ person, onClose }: { person: PersonShown; onClose: () => void }) {
  const client = useQueryClient();
  const name = person.display_name;
  const disable = person.disabled_at === null;
  const changing = useMutation({
    mutationFn: () => changePerson(person.id, { disabled: disable }),
    onSuccess: () => {
      toast(disable ? t`${name} disabled` : t`${name} enabled`);
      void client.invalidateQueries({ queryKey: peopleQuery.queryKey });
    },
  });
  return (
    <ConfirmDialog
      onClose={onClose}
      title={disable ? t`Disable ${name}?` : t`Enable ${name}?`}
      confirm={disable ? t`Disable` : t`Enable`}
      tone={disable ? "danger" : "primary"}
      action={changing}
      // A dialog that was cancelled meanwhile must not close the next one.
      onConfirm={() => changing.mutate(undefined, { onSuccess: onClose })}
    >
      {disable
        ? t`They will be signed out everywhere, and their API tokens end. Their documents and inbox are kept.`
        : t`They can sign in again. Programs need new API tokens.`}
    </ConfirmDialog>
  );
}
