import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { Field } from "@/components/ui/Field";
import { FormDialog } from "@/components/ui/FormDialog";
import { Input } from "@/components/ui/Input";
import { nameError } from "@/lib/document-name";

interface NameDialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  /** What the field contains at first. */
  first: string;
  confirm: string;
  /** A second sentence under the field. */
  hint?: string;
  /** What to do with the name. The dialog shows its error and keeps the name. */
  onName: (name: string) => Promise<void>;
}

/** Asks for a document's name. Mount it when it opens: it forgets what was typed when it is unmounted. */
export function NameDialog({ onOpenChange, first, hint, onName, ...dialog }: NameDialogProps) {
  const field = useRef<HTMLInputElement>(null);
  const [name, setName] = useState(first);
  const [asked, setAsked] = useState(false);
  const naming = useMutation({ mutationFn: onName });
  const submit = () => {
    setAsked(true);
    if (nameError(name)) field.current?.focus();
    else naming.mutate(name.trim());
  };
  return (
    <FormDialog
      {...dialog}
      onClose={() => onOpenChange(false)}
      width="sm"
      initialFocus={field}
      action={naming}
      onSubmit={submit}
    >
      <Field
        label={t`Name`}
        hint={
          <>
            <p>
              <Trans>All recipients can see the name, whether they are cleared or not.</Trans>
            </p>
            {hint && <p>{hint}</p>}
          </>
        }
        error={asked ? nameError(name) : null}
      >
        <Input
          ref={field}
          value={name}
          onChange={({ target }) => setName(target.value)}
          onFocus={({ target }) => target.select()}
          autoComplete="off"
        />
      </Field>
    </FormDialog>
  );
}
