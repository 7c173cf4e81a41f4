import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { makeToken, tokensQuery } from "@/api/tokens";
import { Button } from "@/components/ui/Button";
import { CopyButton } from "@/components/ui/CopyButton";
import { Dialog } from "@/components/ui/Dialog";
import { Field } from "@/components/ui/Field";
import { FormDialog } from "@/components/ui/FormDialog";
import { Input } from "@/components/ui/Input";
import { Select } from "@/components/ui/Select";

const DAY_S = 24 * 3600;
const LIVES = [
  { value: "30", label: t`30 days` },
  { value: "90", label: t`90 days` },
  { value: "365", label: t`1 year` },
  { value: "never", label: t`Never` },
] as const;

type Life = (typeof LIVES)[number]["value"];

/** Creates a token and shows it once. */
export function NewTokenDialog({ onClose }: { onClose: () => void }) {
  const client = useQueryClient();
  const [label, setLabel] = useState("");
  const [life, setLife] = useState<Life>("90");
  const making = useMutation({
    mutationFn: () => makeToken(label.trim(), life === "never" ? null : Number(life) * DAY_S),
    onSuccess: () => client.invalidateQueries({ queryKey: tokensQuery.queryKey }),
    // The page keeps no copy of the token.
    gcTime: 0,
  });

  if (making.data) {
    const { token } = making.data;
    return (
      <Dialog
        open
        insistent
        onOpenChange={() => {}}
        title={t`Token for “${{ label: making.data.label }}”`}
        description={t`Copy it now. You cannot see it again.`}
        footer={
          <>
            <CopyButton text={token} what={t`token`} worded />
            <Button tone="primary" onClick={onClose}>
              {t`Done`}
            </Button>
          </>
        }
      >
        <output className="block wrap-anywhere rounded-md border border-line bg-sunken px-3 py-2 font-mono text-sm select-all">
          {token}
        </output>
        <p className="mt-3 text-quiet text-sm">
          <Trans>
            The <code className="font-mono">sieve</code> command reads it from{" "}
            <code className="font-mono">SIEVE_TOKEN</code>, other programs send it as{" "}
            <code className="font-mono">Authorization: Bearer …</code>
          </Trans>
        </p>
      </Dialog>
    );
  }
  return (
    <FormDialog
      onClose={onClose}
      title={t`New token`}
      confirm={t`Create token`}
      ready={label.trim() !== ""}
      action={making}
      onSubmit={() => making.mutate()}
    >
      <Field label={t`What is it for?`} hint={t`For example, the program and where it runs.`}>
        <Input
          value={label}
          maxLength={100}
          onChange={(event) => setLabel(event.target.value)}
          placeholder={t`sieve on my laptop`}
        />
      </Field>
      <Select label={t`Expires after`} value={life} onValueChange={setLife} choices={LIVES} />
    </FormDialog>
  );
}
