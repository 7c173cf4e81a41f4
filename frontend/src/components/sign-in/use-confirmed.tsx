import { t } from "@lingui/core/macro";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect, useEffectEvent, useState } from "react";
import { confirmationQuery, confirmIdentity, type Methods, sessionQuery } from "@/api/session";
import { Button } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import { toastError } from "../ui/toasts";
import { ProofForm } from "./ProofForm";
import { openProvider } from "./sso";

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
  const goOn = () => {
    setAsking(null);
    asking?.action();
  };
  const dialog = asking && (
    <Dialog
      open
      width="sm"
      onOpenChange={(open) => open || setAsking(null)}
      title={t`Confirm that it is you`}
      description={t`You signed in a while ago.`}
    >
      {asking.methods.sso ? (
        <ConfirmAtProvider onConfirmed={goOn} />
      ) : (
        <ProofForm methods={asking.methods} confirm={t`Confirm`} give={confirmIdentity} onGiven={goOn} />
      )}
    </Dialog>
  );
  return { confirmed: checking.mutate, dialog, isAsking: checking.isPending };
}

/** Opens the provider in a new tab, and continues when the person comes back from there. */
function ConfirmAtProvider({ onConfirmed }: { onConfirmed: () => void }) {
  const client = useQueryClient();
  const { data: session } = useQuery(sessionQuery);
  const provider = session?.sso ?? "";
  const ask = useEffectEvent(async () => {
    const { confirmed } = await client.fetchQuery(confirmationQuery);
    if (confirmed) onConfirmed();
  });
  useEffect(() => {
    const back = () => void ask().catch(() => {});
    window.addEventListener("focus", back);
    return () => window.removeEventListener("focus", back);
  }, []);
  return (
    <div className="flex flex-col gap-4">
      <p className="text-sm">{t`Sign in again in the tab that opens. Then come back to this page.`}</p>
      <Button tone="primary" autoFocus onClick={() => openProvider("confirmation")} className="w-full">
        {t`Sign in with ${provider}`}
      </Button>
    </div>
  );
}
