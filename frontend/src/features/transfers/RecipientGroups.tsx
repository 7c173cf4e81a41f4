import { plural, t } from "@lingui/core/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { addGroup, type RecipientGroup, recipientGroupsQuery } from "@/api/recipients";
import { announce } from "@/components/announce";
import { Button } from "@/components/ui/Button";
import { Dialog } from "@/components/ui/Dialog";
import { Field } from "@/components/ui/Field";
import { FormDialog } from "@/components/ui/FormDialog";
import { Input } from "@/components/ui/Input";
import { MOST_NAME, RecipientGroupForm } from "./RecipientGroupForm";
import { keyOf, type Recipient } from "./recipients";

interface RecipientGroupsProps {
  groups: readonly RecipientGroup[];
  /** The people at all gateways, as far as they are loaded. */
  people: readonly Recipient[];
  chosen: readonly Recipient[];
}

/** Saves the chosen recipients as a group, and opens the list of groups. */
export function RecipientGroups({ groups, people, chosen }: RecipientGroupsProps) {
  const [open, setOpen] = useState<"save" | "manage" | null>(null);
  const keys = new Set(chosen.map(keyOf));
  const isSaved = groups.some(
    ({ members }) => members.length === keys.size && members.every((member) => keys.has(keyOf(member))),
  );
  if (groups.length === 0 && chosen.length < 2) return null;
  return (
    <div className="flex flex-wrap gap-2">
      {chosen.length > 1 && !isSaved && <Button size="sm" onClick={() => setOpen("save")}>{t`Save as a group`}</Button>}
      {groups.length > 0 && <Button size="sm" onClick={() => setOpen("manage")}>{t`Manage groups`}</Button>}
      {open === "save" && <SaveGroupDialog chosen={chosen} onClose={() => setOpen(null)} />}
      {open === "manage" && <ManageGroupsDialog groups={groups} people={people} onClose={() => setOpen(null)} />}
    </div>
  );
}

function SaveGroupDialog({ chosen, onClose }: { chosen: readonly Recipient[]; onClose: () => void }) {
  const client = useQueryClient();
  const [name, setName] = useState("");
  const saving = useMutation({
    mutationFn: () =>
      addGroup(
        name.trim(),
        chosen.map(({ peer, name }) => ({ peer, name })),
      ),
    onSuccess: async () => {
      announce(t`Group ${name.trim()} saved`);
      await client.invalidateQueries({ queryKey: recipientGroupsQuery.queryKey });
    },
  });
  return (
    <FormDialog
      onClose={onClose}
      title={t`Save as a group`}
      description={t`${plural(chosen.length, { one: "# person", other: "# people" })}. Only you can see your groups.`}
      confirm={t`Save group`}
      ready={name.trim() !== ""}
      action={saving}
      onSubmit={() => saving.mutate(undefined, { onSuccess: onClose })}
    >
      <Field label={t`Name of the group`}>
        <Input value={name} maxLength={MOST_NAME} autoComplete="off" onChange={({ target }) => setName(target.value)} />
      </Field>
    </FormDialog>
  );
}

interface ManageGroupsDialogProps {
  groups: readonly RecipientGroup[];
  people: readonly Recipient[];
  onClose: () => void;
}

function ManageGroupsDialog({ groups, people, onClose }: ManageGroupsDialogProps) {
  return (
    <Dialog
      open
      onOpenChange={(next) => next || onClose()}
      title={t`Groups of recipients`}
      description={t`Only you can see your groups.`}
      footer={<Button tone="primary" onClick={onClose}>{t`Done`}</Button>}
    >
      <ul className="flex flex-col gap-6">
        {groups.map((group) => (
          <li key={group.id} className="border-edge border-b pb-6 last:border-b-0 last:pb-0">
            <RecipientGroupForm group={group} people={people} />
          </li>
        ))}
      </ul>
      {groups.length === 0 && <p className="text-quiet text-sm">{t`You have no groups.`}</p>}
    </Dialog>
  );
}
