import { t } from "@lingui/core/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { confirmationQuery, confirmIdentity, type Methods } from "@/api/session";
import { Dialog } from "../ui/Dialog";
import { toastError } from "../ui/toasts";
import { ProofForm } from "./ProofForm";

/**
 * `confirmed(action)` runs `action` once the person has confirmed that it is them: at once if they signed in, or confirmed,
 * in the last minutes; else after a dialog, which the component must render.
 */
export function useConfirmed(): { confirmed: (action: () => void) => void; dialog: ReactNode; isAsking: boolean } {
  const client = useQueryClient();
  const [asking, setAsking] = useState<{ methods: Methods; action: () => void } | null>(null);
  const checking = useMutation({
    mutationFn: (_: () => void) => client.fetchQuery(confirmationQuery),
    onSuccess: ({ confirmed, methods }, action) => (confirmed ? action() : setAsking({ methods, action })),
    onError: (error) => toastError(t`Could not check who you are.`, error),
  });
  const dialog = asking && (
    <Dialog
      open
      width="sm"
      onOpenChange={(open) => open || setAsking(null)}
      title={t`Confirm that it is you`}
      description={t`You signed in a while ago.`}
    >
      <ProofForm
        methods={asking.methods}
        confirm={t`Confirm`}
        give={confirmIdentity}
        onGiven={() => {
          setAsking(null);
          asking.action();
        }}
      />
    </Dialog>
  );
  return { confirmed: checking.mutate, dialog, isAsking: checking.isPending };
}
