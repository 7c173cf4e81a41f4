import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { addPerson, makeLink, peopleQuery } from "@/api/people";
import type { LinkMade, PersonShown } from "@/api/types";
import { Field } from "@/components/ui/Field";
import { FormDialog } from "@/components/ui/FormDialog";
import { Input } from "@/components/ui/Input";
import { OneTimeLinkDialog } from "./OneTimeLinkDialog";
import { RoleFields, type Roles } from "./RoleFields";
import { UnitField } from "./UnitField";

const NO_ROLES: Roles = { is_author: false, is_recipient: false, is_admin: false, cleared: false };

/** Creates an account, then the link with which its person sets a password. */
export function NewPersonDialog({ onClose }: { onClose: () => void }) {
  const client = useQueryClient();
  const [login, setLogin] = useState("");
  const [name, setName] = useState("");
  const [unit, setUnit] = useState("");
  const [roles, setRoles] = useState(NO_ROLES);
  const [person, setPerson] = useState<PersonShown | null>(null);
  const making = useMutation({
    mutationFn: async (): Promise<LinkMade> => {
      // If only the link fails, the account stays, and another try makes only the link.
      const made =
        person ?? (await addPerson({ name: login.trim(), display_name: name.trim(), unit: unit.trim(), ...roles }));
      setPerson(made);
      return makeLink(made.id);
    },
    onSettled: () => client.invalidateQueries({ queryKey: peopleQuery.queryKey }),
    gcTime: 0,
  });
  const complete = login.trim() !== "" && name.trim() !== "";

  if (person && making.data) {
    return (
      <OneTimeLinkDialog
        title={`Account created for ${person.display_name}`}
        description={`Their login is ${person.name}. They use this link to set a password.`}
        link={making.data}
        name={person.display_name}
        onClose={onClose}
      />
    );
  }
  return (
    <FormDialog
      onClose={onClose}
      title="New person"
      confirm="Create account"
      ready={complete}
      action={making}
      onSubmit={() => making.mutate()}
    >
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
      <UnitField value={unit} onValueChange={setUnit} />
      <RoleFields roles={roles} onChange={setRoles} />
    </FormDialog>
  );
}
