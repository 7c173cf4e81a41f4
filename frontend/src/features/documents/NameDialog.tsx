import { type ReactNode, useId, useRef, useState } from "react";
import { asProblem, type Problem } from "@/api/problem";
import { Button } from "@/components/ui/Button";
import { Dialog } from "@/components/ui/Dialog";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { Field } from "@/components/ui/Field";
import { Input } from "@/components/ui/Input";
import { nameError } from "./document-name";

export interface NameDialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  description?: ReactNode;
  /** What is in the field at first. */
  first: string;
  confirm: string;
  /** What is done with the name; what it throws is shown, and the name stays. */
  onName: (name: string) => Promise<void>;
}

/** Asks for a document's name. Mount it when it opens: what was typed is gone when it is closed. */
export function NameDialog({ open, onOpenChange, title, description, first, confirm, onName }: NameDialogProps) {
  const form = useId();
  const field = useRef<HTMLInputElement>(null);
  const [name, setName] = useState(first);
  const [asked, setAsked] = useState(false);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const fault = asked ? nameError(name) : null;

  const submit = async () => {
    setAsked(true);
    if (nameError(name)) {
      field.current?.focus();
      return;
    }
    if (busy) return;
    setBusy(true);
    setProblem(null);
    try {
      await onName(name.trim());
    } catch (error) {
      setProblem(asProblem(error));
    } finally {
      setBusy(false);
    }
  };

  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      width="sm"
      title={title}
      description={description}
      initialFocus={field}
      footer={
        <>
          <Button onClick={() => onOpenChange(false)}>Cancel</Button>
          <Button tone="primary" type="submit" form={form} busy={busy}>
            {confirm}
          </Button>
        </>
      }
    >
      <form
        id={form}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
        className="flex flex-col gap-4"
      >
        <Field label="Name" hint="All recipients can see the name, whether they are cleared or not." error={fault}>
          <Input
            ref={field}
            value={name}
            onChange={({ target }) => setName(target.value)}
            onFocus={({ target }) => target.select()}
            autoComplete="off"
          />
        </Field>
        {problem && <ErrorPanel problem={problem} />}
      </form>
    </Dialog>
  );
}
