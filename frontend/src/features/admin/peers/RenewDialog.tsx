import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useId, useState } from "react";
import { renewalCode, renewPeer } from "@/api/peers";
import { Button } from "@/components/ui/Button";
import { Dialog } from "@/components/ui/Dialog";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { Field } from "@/components/ui/Field";
import { Textarea } from "@/components/ui/Textarea";
import { toast } from "@/components/ui/toasts";
import { CodeField } from "./CodeField";
import { PairingCode } from "./PairingCode";

interface RenewDialogProps {
  peer: string;
  onClose: () => void;
  onRenewed: () => Promise<void>;
}

/** Takes a known peer's new invitation: its key or its addresses have changed. Compared by voice as at first. */
export function RenewDialog({ peer, onClose, onRenewed }: RenewDialogProps) {
  const form = useId();
  const [invitation, setInvitation] = useState("");
  const [said, setSaid] = useState("");
  const looking = useMutation({ mutationFn: () => renewalCode(peer, invitation.trim()) });
  const renewing = useMutation({
    mutationFn: () => renewPeer(peer, invitation.trim(), said.trim()),
    onSuccess: async () => {
      await onRenewed();
      toast(`New key added for ${peer}`, "The old key works until you retire it.");
    },
  });
  const code = looking.data?.code;
  const ready = code === undefined ? invitation.trim() !== "" : said.trim() !== "";
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!ready || looking.isPending || renewing.isPending) return;
    if (code === undefined) looking.mutate();
    // Cancelled meanwhile: what is open by then is another dialog.
    else renewing.mutate(undefined, { onSuccess: onClose });
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`New invitation from ${peer}`}
      description="Use this if the peer’s key or addresses have changed. Transfers in progress are not interrupted."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            form={form}
            tone="primary"
            busy={looking.isPending || renewing.isPending}
            disabled={!ready}
          >
            {code === undefined ? "Show code" : "Confirm"}
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} className="flex flex-col gap-5">
        <Field label={`New invitation from ${peer}’s admin`}>
          <Textarea
            rows={4}
            value={invitation}
            spellCheck={false}
            className="font-mono text-xs"
            onChange={(event) => {
              setInvitation(event.target.value);
              looking.reset();
            }}
          />
        </Field>
        {looking.error && <ErrorPanel problem={looking.error} />}
        {code !== undefined && (
          <>
            <p className="text-sm">Compare this code by phone. It must be the same on both sides.</p>
            <PairingCode code={code} />
            <CodeField peer={peer} value={said} onChange={setSaid} />
          </>
        )}
        {renewing.error && <ErrorPanel problem={renewing.error} />}
      </form>
    </Dialog>
  );
}
