import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Fingerprint, Smartphone } from "lucide-react";
import { type ReactNode, useState } from "react";
import { hasPasskeys } from "@/api/passkeys";
import { fetchSession, sessionQuery } from "@/api/session";
import type { SessionShown } from "@/api/types";
import { Button } from "../ui/Button";
import { ErrorPanel } from "../ui/ErrorPanel";
import { AddPasskeyForm } from "./AddPasskeyForm";
import { RecoveryCodes } from "./RecoveryCodes";
import { SetUpAppForm } from "./SetUpAppForm";

interface FirstFactorProps {
  onSignedIn: (session: SessionShown) => void;
  /** The button that ends this sign-in. */
  startAgain: ReactNode;
}

/** While signing in: somebody who must have a second factor adds the first one. */
export function FirstFactor({ onSignedIn, startAgain }: FirstFactorProps) {
  const { data: session } = useQuery(sessionQuery);
  const [adding, setAdding] = useState<"passkey" | "app" | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const entering = useMutation({ mutationFn: fetchSession, onSuccess: onSignedIn });
  const enter = () => entering.mutate();
  const added = (recovery: readonly string[] | null) => (recovery ? setCodes(recovery) : enter());
  if (entering.error) return <ErrorPanel problem={entering.error} onRetry={enter} />;
  if (codes) return <RecoveryCodes codes={codes} onDone={enter} />;
  const other = (
    <Button onClick={() => setAdding(null)}>
      <Trans>Choose another way</Trans>
    </Button>
  );
  if (adding === "passkey") {
    return (
      <>
        <AddPasskeyForm onAdded={added} />
        {other}
        {startAgain}
      </>
    );
  }
  if (adding === "app") {
    return (
      <>
        <SetUpAppForm onAdded={added} />
        {other}
        {startAgain}
      </>
    );
  }
  return (
    <div className="flex flex-col gap-3">
      <p className="text-sm">
        {t`This gateway requires a second factor of you: a way to confirm that it is you, besides your password. You will need it each time you sign in.`}
      </p>
      {session?.passkeys && hasPasskeys() && (
        <Button tone="primary" icon={<Fingerprint aria-hidden />} onClick={() => setAdding("passkey")}>
          {t`Add a passkey`}
        </Button>
      )}
      <Button icon={<Smartphone aria-hidden />} onClick={() => setAdding("app")}>
        {t`Use an authenticator app`}
      </Button>
      {startAgain}
    </div>
  );
}
