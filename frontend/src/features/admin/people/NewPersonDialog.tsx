import { t } from "@lingui/core/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { addPerson, makeLink, peopleQuery } from "@/api/people";
import type { LinkMade, PersonShown } from "@/api/types";
import { NewTokenDialog } from "@/components/tokens/NewTokenDialog";
import { Field } from "@/components/ui/Field";
import { FormDialog } from "@/components/ui/FormDialog";
import { Input } from "@/components/ui/Input";
import { RadioGroup } from "@/components/ui/RadioGroup";
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
  const [isService, setIsService] = useState(false);
  const [person, setPerson] = useState<PersonShown | null>(null);
  const making = useMutation({
    mutationFn: async (): Promise<LinkMade | null> => {
      // If only the link fails, the account stays, and another try makes only the link.
      const made =
        person ??
        (await addPerson({
          ...{ name: login.trim(), display_name: name.trim(), unit: unit.trim(), is_service: isService },
          ...roles,
        }));
      setPerson(made);
      return isService ? null : makeLink(made.id);
    },
    onSettled: () => client.invalidateQueries({ queryKey: peopleQuery.queryKey }),
    gcTime: 0,
  });
  // After the first try, the dialog shows what is missing.
  const [asked, setAsked] = useState(false);
  const hasRole = roles.is_author || roles.is_recipient || roles.is_admin;
  const complete = login.trim() !== "" && name.trim() !== "" && hasRole;
  const missing = (text: string, error: string) => (asked && text.trim() === "" ? error : null);

  if (person && isService && making.isSuccess) return <NewTokenDialog owner={person} onClose={onClose} />;
  if (person && making.data) {
    return (
      <OneTimeLinkDialog
        title={t`Account created for ${{ name: person.display_name }}`}
        description={t`Their login is ${{ login: person.name }}. They use this link to set a password.`}
        link={making.data}
        name={person.display_name}
        onClose={onClose}
      />
    );
  }
  return (
    <FormDialog
      onClose={onClose}
      title={t`New person`}
      confirm={t`Create account`}
      action={making}
      onSubmit={() => {
        setAsked(true);
        if (complete) making.mutate();
      }}
    >
      <Field label={t`Name`} hint={t`Shown to other people.`} error={missing(name, t`Enter a name.`)}>
        <Input value={name} maxLength={200} autoComplete="off" onChange={(event) => setName(event.target.value)} />
      </Field>
      <Field
        label={t`Login`}
        hint={t`Letters and digits, with . _ @ - between them. It cannot be changed later.`}
        error={missing(login, t`Enter a login.`)}
      >
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
      <RadioGroup
        label={t`Used by`}
        value={isService ? "service" : "person"}
        onValueChange={(kind) => setIsService(kind === "service")}
        choices={[
          { value: "person", label: t`A person`, hint: t`They set a password with a one-time link.` },
          { value: "service", label: t`A program`, hint: t`A service account. Admins make its API tokens.` },
        ]}
      />
      <RoleFields roles={roles} onChange={setRoles} error={asked && !hasRole ? t`Choose at least one role.` : null} />
    </FormDialog>
  );
}
