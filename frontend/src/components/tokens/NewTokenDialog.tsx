import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { makeServiceToken, makeToken, type TokenDays, tokensQuery } from "@/api/tokens";
import type { PersonShown } from "@/api/types";
import { Button } from "@/components/ui/Button";
import { Checkbox } from "@/components/ui/Checkbox";
import { CopyButton } from "@/components/ui/CopyButton";
import { Dialog } from "@/components/ui/Dialog";
import { Field } from "@/components/ui/Field";
import { FormDialog } from "@/components/ui/FormDialog";
import { Input } from "@/components/ui/Input";
import { Select } from "@/components/ui/Select";
import { SCOPE_HINTS, SCOPE_NAMES, scopesOf } from "./scopes";

const LIVES = [
  { value: "7", label: t`7 days` },
  { value: "30", label: t`30 days` },
  { value: "90", label: t`90 days` },
  { value: "365", label: t`1 year` },
] as const;

type Life = (typeof LIVES)[number]["value"];

/** Creates a token and shows it once: mine, or one of a service account. */
export function NewTokenDialog({ owner, onClose }: { owner: PersonShown; onClose: () => void }) {
  const client = useQueryClient();
  const possible = scopesOf(owner);
  const [label, setLabel] = useState("");
  const [life, setLife] = useState<Life>("90");
  const [scopes, setScopes] = useState(possible);
  const making = useMutation({
    mutationFn: () => {
      const asked = { label: label.trim(), expires_in_days: Number(life) as TokenDays, scopes };
      return owner.is_service ? makeServiceToken(owner.id, asked) : makeToken(asked);
    },
    onSuccess: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: tokensQuery.queryKey }),
        // A new token may lock what a service account holds.
        client.invalidateQueries({ queryKey: ["approvals"] }),
      ]),
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
      {...(owner.is_service && {
        description: t`What ${{ name: owner.display_name }} received before is locked until another admin agrees to the new token.`,
      })}
      confirm={t`Create token`}
      ready={label.trim() !== "" && scopes.length > 0}
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
      {possible.length > 1 && (
        <fieldset className="flex flex-col gap-3">
          <legend className="mb-2 font-medium text-sm">
            <Trans>What it allows</Trans>
          </legend>
          {possible.map((scope) => (
            <Checkbox
              key={scope}
              label={SCOPE_NAMES[scope]}
              hint={SCOPE_HINTS[scope]}
              checked={scopes.includes(scope)}
              onCheckedChange={(checked) =>
                setScopes(possible.filter((each) => (each === scope ? checked : scopes.includes(each))))
              }
            />
          ))}
        </fieldset>
      )}
      <Select label={t`Expires after`} value={life} onValueChange={setLife} choices={LIVES} />
    </FormDialog>
  );
}
