import { t } from "@lingui/core/macro";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { invitationQuery, peersQuery, takeInvitation } from "@/api/peers";
import { CopyButton } from "@/components/ui/CopyButton";
import { Field } from "@/components/ui/Field";
import { FormDialog } from "@/components/ui/FormDialog";
import { Loaded } from "@/components/ui/Loaded";
import { Textarea } from "@/components/ui/Textarea";

/** Exchanges invitations. The new peer's card then asks for the peer's code. */
export function PairDialog({ onClose }: { onClose: () => void }) {
  const client = useQueryClient();
  const ours = useQuery(invitationQuery);
  const [theirs, setTheirs] = useState("");
  const taking = useMutation({
    mutationFn: () => takeInvitation(theirs.trim()),
    onSuccess: () => client.invalidateQueries({ queryKey: peersQuery.queryKey }),
  });
  return (
    <FormDialog
      onClose={onClose}
      title={t`Pair with a gateway`}
      description={t`Both admins do this, each on their own gateway.`}
      width="lg"
      confirm={t`Add invitation`}
      ready={theirs.trim() !== ""}
      action={taking}
      // A dialog that was cancelled meanwhile must not close the next one.
      onSubmit={() => taking.mutate(undefined, { onSuccess: onClose })}
    >
      <div className="flex flex-col gap-2">
        <p className="font-medium text-sm">{t`1. Give our invitation to the other admin`}</p>
        <p className="text-quiet text-sm">{t`Send it by email or chat. It contains no secrets.`}</p>
        <Loaded query={ours} what={t`our invitation`}>
          {({ invitation }) => (
            <>
              <output
                aria-label={t`Our invitation`}
                className="block max-h-24 select-all overflow-y-auto break-all rounded-md border border-line bg-sunken px-3 py-2 font-mono text-xs"
                // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard
                tabIndex={0}
              >
                {invitation}
              </output>
              <div>
                <CopyButton text={invitation} what={t`invitation`} worded />
              </div>
            </>
          )}
        </Loaded>
      </div>
      <Field label={t`2. Paste the invitation from the other admin`}>
        <Textarea
          rows={4}
          value={theirs}
          spellCheck={false}
          className="max-h-32 font-mono text-xs"
          onChange={(event) => setTheirs(event.target.value)}
        />
      </Field>
      <p className="text-quiet text-sm">{t`3. Each gateway then shows its own code. Read the codes to each other by phone.`}</p>
    </FormDialog>
  );
}
