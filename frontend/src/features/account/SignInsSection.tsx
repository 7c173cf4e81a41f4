import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { signOutEverywhere } from "@/api/session";
import { useSession } from "@/app/session";
import { Button } from "@/components/ui/Button";
import { ConfirmDialog } from "@/components/ui/ConfirmDialog";
import { Section } from "@/components/ui/Section";

/** Signs the person out everywhere. */
export function SignInsSection() {
  const { leave } = useSession();
  const [asking, setAsking] = useState(false);
  const ending = useMutation({ mutationFn: () => leave(signOutEverywhere) });
  return (
    <Section
      title={t`Sign-ins`}
      lead={t`Sign out of every browser you are signed in to. API tokens keep working.`}
      actions={
        <Button tone="danger" onClick={() => setAsking(true)}>
          {t`Sign out everywhere`}
        </Button>
      }
    >
      <ConfirmDialog
        open={asking}
        onClose={() => setAsking(false)}
        title={t`Sign out everywhere?`}
        confirm={t`Sign out everywhere`}
        action={ending}
        onConfirm={() => ending.mutate()}
      >
        <Trans>
          You will be signed out of every browser, including this one. Unsaved changes are lost unless you sign in again
          in the same window.
        </Trans>
      </ConfirmDialog>
    </Section>
  );
}
