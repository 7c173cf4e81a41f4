import { t } from "@lingui/core/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { approvalsQuery } from "@/api/approvals";
import { changePerson, peopleQuery } from "@/api/people";
import { sessionQuery } from "@/api/session";
import type { PersonShown } from "@/api/types";
import { Field } from "@/components/ui/Field";
import { FormDialog } from "@/components/ui/FormDialog";
import { Input } from "@/components/ui/Input";
import { toast } from "@/components/ui/toasts";
import { RoleFields, type Roles } from "./RoleFields";
import { UnitField } from "./UnitField";

/** Changes a person's name, unit, roles and clearance, from their next request on. */
export function EditPersonDialog({ person, onClose }: { person: PersonShown; onClose: () => void }) {
  const client = useQueryClient();
  const [name, setName] = useState(person.display_name);
  const [unit, setUnit] = useState(person.unit ?? "");
  const [roles, setRoles] = useState<Roles>({
    is_author: person.is_author,
    is_recipient: person.is_recipient,
    is_admin: person.is_admin,
    cleared: person.cleared,
  });
  const [asked, setAsked] = useState(false);
  const hadRole = person.is_author || person.is_recipient || person.is_admin;
  const losesRoles = hadRole && !roles.is_author && !roles.is_recipient && !roles.is_admin;
  const saving = useMutation({
    mutationFn: () => changePerson(person.id, { display_name: name.trim(), unit: unit.trim(), ...roles }),
    onSuccess: (changed) => {
      const clearedLater = changed.cleared_since && !person.cleared;
      toast(
        t`${{ name: changed.display_name }} updated`,
        clearedLater
          ? t`Clearance counts for documents that arrive from now on; for earlier ones once another admin agrees.`
          : t`Changes take effect immediately.`,
      );
      void client.invalidateQueries({ queryKey: peopleQuery.queryKey });
      void client.invalidateQueries({ queryKey: approvalsQuery.queryKey });
      // Admins may change their own account.
      void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
    },
  });
  return (
    <FormDialog
      onClose={onClose}
      title={person.display_name}
      description={t`Login ${{ login: person.name }}`}
      confirm={t`Save`}
      ready={name.trim() !== ""}
      action={saving}
      // A dialog that was cancelled meanwhile must not close the next one.
      onSubmit={() => {
        setAsked(true);
        if (!losesRoles) saving.mutate(undefined, { onSuccess: onClose });
      }}
    >
      <Field label={t`Name`}>
        <Input value={name} maxLength={200} autoComplete="off" onChange={(event) => setName(event.target.value)} />
      </Field>
      <UnitField value={unit} onValueChange={setUnit} />
      <RoleFields
        roles={roles}
        onChange={setRoles}
        error={
          asked && losesRoles
            ? t`Choose at least one role. If they are to stop working here, disable the account.`
            : null
        }
      />
    </FormDialog>
  );
}
