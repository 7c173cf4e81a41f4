import { t } from "@lingui/core/macro";
import { useMutation } from "@tanstack/react-query";
import { Fingerprint } from "lucide-react";
import { useState } from "react";
import { addPasskey } from "@/api/factors";
import { Button } from "../ui/Button";
import { ErrorPanel } from "../ui/ErrorPanel";
import { Field } from "../ui/Field";
import { Input } from "../ui/Input";

/** Adds a passkey. `onAdded` gets recovery codes with the first factor. */
export function AddPasskeyForm({ onAdded }: { onAdded: (codes: readonly string[] | null) => void }) {
  const [name, setName] = useState("");
  const adding = useMutation({
    mutationFn: () => addPasskey(name.trim()),
    onSuccess: onAdded,
    // The page keeps no copy of the codes.
    gcTime: 0,
  });
  const ready = name.trim() !== "";
  return (
    <form
      noValidate
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (ready && !adding.isPending) adding.mutate();
      }}
    >
      <Field label={t`Name of the passkey`} hint={t`For you, such as the device that it is on: “Work laptop”.`}>
        <Input value={name} maxLength={100} autoFocus onChange={(event) => setName(event.target.value)} />
      </Field>
      {adding.error && <ErrorPanel problem={adding.error} />}
      <Button type="submit" tone="primary" busy={adding.isPending} disabled={!ready} icon={<Fingerprint aria-hidden />}>
        {t`Create passkey`}
      </Button>
    </form>
  );
}
