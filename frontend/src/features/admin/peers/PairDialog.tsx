import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useId, useState } from "react";
import { invitationQuery, peersQuery, takeInvitation } from "@/api/peers";
import { Button } from "@/components/ui/Button";
import { CopyButton } from "@/components/ui/CopyButton";
import { Dialog } from "@/components/ui/Dialog";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { Field } from "@/components/ui/Field";
import { Skeleton } from "@/components/ui/Skeleton";
import { Textarea } from "@/components/ui/Textarea";

/** The exchange of invitations. What is left then, comparing the code, stands on the new peer's card. */
export function PairDialog({ onClose }: { onClose: () => void }) {
  const client = useQueryClient();
  const form = useId();
  const ours = useQuery(invitationQuery);
  const [theirs, setTheirs] = useState("");
  const taking = useMutation({
    mutationFn: () => takeInvitation(theirs.trim()),
    onSuccess: () => client.invalidateQueries({ queryKey: peersQuery.queryKey }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // Cancelled meanwhile: what is open by then is another dialog.
    if (theirs.trim() && !taking.isPending) taking.mutate(undefined, { onSuccess: onClose });
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Pair with a gateway"
      description="Both admins do this, each on their own gateway."
      width="lg"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={form} tone="primary" busy={taking.isPending} disabled={!theirs.trim()}>
            Add invitation
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} className="flex flex-col gap-6">
        <div className="flex flex-col gap-2">
          <p className="font-medium text-sm">1. Give our invitation to the other admin</p>
          <p className="text-quiet text-sm">Send it by email or chat. It contains no secrets.</p>
          {ours.isPending && <Skeleton label="Loading our invitation" />}
          {ours.error && <ErrorPanel problem={ours.error} onRetry={() => void ours.refetch()} />}
          {ours.data && (
            <>
              <output
                aria-label="Our invitation"
                className="block max-h-24 select-all overflow-y-auto break-all rounded-md border border-line bg-sunken px-3 py-2 font-mono text-xs"
                // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard
                tabIndex={0}
              >
                {ours.data.invitation}
              </output>
              <div>
                <CopyButton text={ours.data.invitation} what="invitation" worded />
              </div>
            </>
          )}
        </div>
        <Field label="2. Paste the invitation from the other admin">
          <Textarea
            rows={4}
            value={theirs}
            spellCheck={false}
            className="max-h-32 font-mono text-xs"
            onChange={(event) => setTheirs(event.target.value)}
          />
        </Field>
        <p className="text-quiet text-sm">3. Both gateways then show a code. Compare the codes by phone.</p>
        {taking.error && <ErrorPanel problem={taking.error} />}
      </form>
    </Dialog>
  );
}
