import { t } from "@lingui/core/macro";
import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { codeQuery, confirmPeer } from "@/api/peers";
import { announce } from "@/components/announce";
import { useConfirmed } from "@/components/sign-in/use-confirmed";
import { Button } from "@/components/ui/Button";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { Loaded } from "@/components/ui/Loaded";
import { CodeField } from "./CodeField";
import { PairingCode } from "./PairingCode";

/** The last step of pairing: the admins read their codes to each other by phone, and each enters the other's. */
export function CompareCode({ peer, onConfirmed }: { peer: string; onConfirmed: () => Promise<void> }) {
  const code = useQuery(codeQuery(peer));
  const [said, setSaid] = useState("");
  const { confirmed, dialog, isAsking } = useConfirmed();
  const confirming = useMutation({
    mutationFn: () => confirmPeer(peer, said.trim()),
    onSuccess: () => {
      announce(t`${peer} is paired.`);
      return onConfirmed();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (said.trim() && !confirming.isPending && !isAsking) confirmed(confirming.mutate);
  };
  return (
    <div className="flex flex-col gap-4 rounded-md bg-sunken p-4">
      <p className="max-w-prose text-sm">
        {t`Call the admin of ${peer}, who adds your invitation there. Read your code aloud, and enter the code that you hear. The two codes differ. If the gateway accepts the other code, nobody has tampered with the invitations.`}
      </p>
      <Loaded query={code} what={t`the code`}>
        {(own) => <PairingCode code={own.code} />}
      </Loaded>
      <form onSubmit={submit} className="flex flex-wrap items-end gap-3">
        <CodeField peer={peer} value={said} onChange={setSaid} />
        <Button type="submit" tone="primary" busy={confirming.isPending || isAsking} disabled={!said.trim()}>
          {t`Confirm`}
        </Button>
      </form>
      {dialog}
      {confirming.error && <ErrorPanel problem={confirming.error} />}
    </div>
  );
}
