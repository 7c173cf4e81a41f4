import { t } from "@lingui/core/macro";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { renewalCode, renewPeer } from "@/api/peers";
import { useConfirmed } from "@/components/sign-in/use-confirmed";
import { Field } from "@/components/ui/Field";
import { FormDialog } from "@/components/ui/FormDialog";
import { Textarea } from "@/components/ui/Textarea";
import { toast } from "@/components/ui/toasts";
import { CodeField } from "./CodeField";
import { PairingCode } from "./PairingCode";

interface RenewDialogProps {
  peer: string;
  onClose: () => void;
  onRenewed: () => Promise<void>;
}

/** Adds a new invitation of a known peer, with the code that the peer's admin reads out. */
export function RenewDialog({ peer, onClose, onRenewed }: RenewDialogProps) {
  const [invitation, setInvitation] = useState("");
  const [said, setSaid] = useState("");
  const { confirmed, dialog, isAsking } = useConfirmed();
  const fetchingCode = useMutation({ mutationFn: () => renewalCode(peer, invitation.trim()) });
  const renewing = useMutation({
    mutationFn: () => renewPeer(peer, invitation.trim(), said.trim()),
    onSuccess: async () => {
      await onRenewed();
      toast(t`New key added for ${peer}`, t`The old key works until you retire it.`);
    },
  });
  const code = fetchingCode.data?.code;
  const ready = code === undefined ? invitation.trim() !== "" : said.trim() !== "";
  const submit = () => {
    if (code === undefined) fetchingCode.mutate();
    // A dialog that was cancelled meanwhile must not close the next one.
    else confirmed(() => renewing.mutate(undefined, { onSuccess: onClose }));
  };
  return (
    <FormDialog
      onClose={onClose}
      title={t`New invitation from ${peer}`}
      description={t`Use this if the peer’s key or addresses have changed. Transfers in progress are not interrupted.`}
      confirm={code === undefined ? t`Show code` : t`Confirm`}
      ready={ready}
      action={{
        isPending: fetchingCode.isPending || isAsking || renewing.isPending,
        error: fetchingCode.error ?? renewing.error,
      }}
      onSubmit={submit}
    >
      <Field label={t`New invitation from ${peer}’s admin`}>
        <Textarea
          rows={4}
          value={invitation}
          spellCheck={false}
          className="font-mono text-xs"
          onChange={(event) => {
            setInvitation(event.target.value);
            fetchingCode.reset();
          }}
        />
      </Field>
      {code !== undefined && (
        <>
          <p className="text-sm">{t`Call the admin of ${peer}, who finds the code in the menu of your gateway, under “Show our code”. If your gateway has a new invitation, too, read out your code.`}</p>
          <PairingCode code={code} />
          <CodeField peer={peer} value={said} onChange={setSaid} />
          {dialog}
        </>
      )}
    </FormDialog>
  );
}
