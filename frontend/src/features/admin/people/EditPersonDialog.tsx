import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useId, useState } from "react";
import { changePerson, peopleQuery } from "@/api/people";
import { sessionQuery } from "@/api/session";
import type { PersonShown } from "@/api/types";
import { Button } from "@/components/ui/Button";
import { Dialog } from "@/components/ui/Dialog";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { Field } from "@/components/ui/Field";
import { Input } from "@/components/ui/Input";
import { toast } from "@/components/ui/toasts";
import { RoleFields, type Roles } from "./RoleFields";

/** Changes somebody's name, roles and clearance; they count from their next request on. */
export function EditPersonDialog({ person, onClose }: { person: PersonShown; onClose: () => void }) {
  const client = useQueryClient();
  const form = useId();
  const [name, setName] = useState(person.display_name);
  const [roles, setRoles] = useState<Roles>({
    is_author: person.is_author,
    is_recipient: person.is_recipient,
    is_admin: person.is_admin,
    cleared: person.cleared,
  });
  const saving = useMutation({
    mutationFn: () => changePerson(person.id, { display_name: name.trim(), ...roles }),
    onSuccess: (changed) => {
      toast(`${changed.display_name} updated`, "Changes take effect immediately.");
      void client.invalidateQueries({ queryKey: peopleQuery.queryKey });
      // It may be oneself.
      void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // Cancelled meanwhile: what is open by then is another dialog.
    if (name.trim() && !saving.isPending) saving.mutate(undefined, { onSuccess: onClose });
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={person.display_name}
      description={`Login ${person.name}`}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={form} tone="primary" busy={saving.isPending} disabled={!name.trim()}>
            Save
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} className="flex flex-col gap-5">
        <Field label="Name">
          <Input value={name} maxLength={200} autoComplete="off" onChange={(event) => setName(event.target.value)} />
        </Field>
        <RoleFields roles={roles} onChange={setRoles} />
        {saving.error && <ErrorPanel problem={saving.error} />}
      </form>
    </Dialog>
  );
}
