import { t } from "@lingui/core/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { changeGroup, deleteGroup, type RecipientGroup, recipientGroupsQuery } from "@/api/recipients";
import { announce } from "@/components/announce";
import { Button } from "@/components/ui/Button";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { Field } from "@/components/ui/Field";
import { Input } from "@/components/ui/Input";
import { MultiCombobox } from "@/components/ui/MultiCombobox";
import { choicesOf } from "./recipient-choice";
import { keyOf, namedBy, type Recipient } from "./recipients";

/** The most characters of a group's name. */
export const MOST_NAME = 100;

interface RecipientGroupFormProps {
  group: RecipientGroup;
  /** The people at all gateways, as far as they are loaded. */
  people: readonly Recipient[];
}

/** Renames a group, changes its members, or deletes it. */
export function RecipientGroupForm({ group, people }: RecipientGroupFormProps) {
  const client = useQueryClient();
  const before = group.members.map(keyOf);
  const [name, setName] = useState(group.name);
  const [keys, setKeys] = useState<readonly string[]>(before);
  const choices = useMemo(() => choicesOf(people), [people]);
  const reload = () => client.invalidateQueries({ queryKey: recipientGroupsQuery.queryKey });
  const saving = useMutation({
    mutationFn: () => changeGroup(group.id, name.trim(), keys.map(namedBy)),
    onSuccess: () => {
      announce(t`Group ${name.trim()} saved`);
      return reload();
    },
  });
  const deleting = useMutation({
    mutationFn: () => deleteGroup(group.id),
    onSuccess: () => {
      announce(t`Group ${group.name} deleted`);
      return reload();
    },
  });
  const isChanged = name.trim() !== group.name || keys.join(" ") !== before.join(" ");
  const maySave = isChanged && name.trim() !== "" && keys.length > 0;
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (maySave) saving.mutate();
      }}
    >
      <Field label={t`Name of ${group.name}`} labelHidden>
        <Input value={name} maxLength={MOST_NAME} autoComplete="off" onChange={({ target }) => setName(target.value)} />
      </Field>
      <MultiCombobox
        label={t`Members of ${group.name}`}
        placeholder={t`Type a name, login or unit`}
        choices={choices}
        value={keys}
        onValueChange={setKeys}
        nameOf={nameOfStranger}
        error={keys.length === 0 ? t`A group needs at least one member.` : null}
        empty={t`No matching recipients`}
      />
      <div className="flex flex-wrap items-center justify-end gap-2">
        {isChanged && <p className="mr-auto text-quiet text-sm">{t`Not saved yet`}</p>}
        <Button
          tone="danger"
          busy={deleting.isPending}
          aria-label={t`Delete ${group.name}`}
          onClick={() => deleting.mutate()}
        >{t`Delete`}</Button>
        <Button
          type="submit"
          disabled={!maySave}
          busy={saving.isPending}
          aria-label={t`Save ${group.name}`}
        >{t`Save`}</Button>
      </div>
      {(saving.error ?? deleting.error) && <ErrorPanel problem={saving.error ?? deleting.error} />}
    </form>
  );
}

/** "zoe at bravo": a member whom the list of the gateway does not name. */
function nameOfStranger(key: string): string {
  const { peer, name } = namedBy(key);
  return t`${name} at ${peer}`;
}
