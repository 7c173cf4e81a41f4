import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useId, useState } from "react";
import { addPerson, makeLink, peopleQuery } from "@/api/people";
import type { LinkMade, PersonShown } from "@/api/types";
import { Button } from "@/components/ui/Button";
import { Dialog } from "@/components/ui/Dialog";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { Field } from "@/components/ui/Field";
import { Input } from "@/components/ui/Input";
import { OneTimeLink } from "./OneTimeLink";
import { RoleFields, type Roles } from "./RoleFields";

const NO_ROLES: Roles = { is_author: false, is_recipient: false, is_admin: false, cleared: false };

/** Makes an account, then the link by which its person sets a password. */
export function NewPersonDialog({ onClose }: { onClose: () => void }) {
  const client = useQueryClient();
  const form = useId();
  const [login, setLogin] = useState("");
  const [name, setName] = useState("");
  const [roles, setRoles] = useState(NO_ROLES);
  const [person, setPerson] = useState<PersonShown | null>(null);
  const making = useMutation({
    mutationFn: async (): Promise<LinkMade> => {
      // The account stays if only the link fails; trying again then makes the link alone.
      const made = person ?? (await addPerson({ name: login.trim(), display_name: name.trim(), ...roles }));
      setPerson(made);
      return makeLink(made.id);
    },
    onSettled: () => client.invalidateQueries({ queryKey: peopleQuery.queryKey }),
    gcTime: 0,
  });
  const complete = login.trim() !== "" && name.trim() !== "";
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (complete && !making.isPending) making.mutate();
  };

  if (person && making.data) {
    return (
      <Dialog
        open
        insistent
        onOpenChange={onClose}
        title={`Account created for ${person.display_name}`}
        description={`Their login is ${person.name}. They use this link to set a password.`}
        footer={
          <Button tone="primary" onClick={onClose}>
            Done
          </Button>
        }
      >
        <OneTimeLink link={making.data} name={person.display_name} />
      </Dialog>
    );
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="New person"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={form} tone="primary" busy={making.isPending} disabled={!complete}>
            Create account
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} className="flex flex-col gap-5">
        <Field label="Name" hint="Shown to other people.">
          <Input value={name} maxLength={200} autoComplete="off" onChange={(event) => setName(event.target.value)} />
        </Field>
        <Field label="Login" hint="Letters and digits, with . _ @ - between them. It cannot be changed later.">
          <Input
            value={login}
            maxLength={63}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            onChange={(event) => setLogin(event.target.value)}
          />
        </Field>
        <RoleFields roles={roles} onChange={setRoles} />
        {making.error && <ErrorPanel problem={making.error} />}
      </form>
    </Dialog>
  );
}
