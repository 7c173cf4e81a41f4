import { t } from "@lingui/core/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { peopleFactorsQuery, removeFactors } from "@/api/people";
import type { PersonShown } from "@/api/types";
import { ConfirmDialog } from "@/components/ui/ConfirmDialog";
import { toast } from "@/components/ui/toasts";

/** Asks before the second factors of a person who lost them are removed. */
export function RemoveFactorsDialog({ person, onClose }: { person: PersonShown; onClose: () => void }) {
  const client = useQueryClient();
  const name = person.display_name;
  const removing = useMutation({
    mutationFn: () => removeFactors(person.id),
    onSuccess: () => {
      toast(t`Second factor of ${name} removed`);
      void client.invalidateQueries({ queryKey: peopleFactorsQuery.queryKey });
    },
  });
  return (
    <ConfirmDialog
      onClose={onClose}
      title={t`Remove the second factor of ${name}?`}
      confirm={t`Remove`}
      action={removing}
      // A dialog that was cancelled meanwhile must not close the next one.
      onConfirm={() => removing.mutate(undefined, { onSuccess: onClose })}
    >
      {t`Do this only if they lost it, and you are sure that it is them who asks. They will be signed out everywhere. Then their password alone signs them in. What they received and wrote before stays locked until another admin agrees.`}
    </ConfirmDialog>
  );
}
