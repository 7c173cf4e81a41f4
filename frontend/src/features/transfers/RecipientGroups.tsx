import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import {
  addGroup,
  deleteGroup,
  type RecipientGroup,
  type RecipientNamed,
  recipientGroupsQuery,
  renameGroup,
} from "@/api/recipients";
import { announce } from "@/components/announce";
import { Button } from "@/components/ui/Button";
import { Dialog } from "@/components/ui/Dialog";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { Field } from "@/components/ui/Field";
import { FormDialog } from "@/components/ui/FormDialog";
import { Input } from "@/components/ui/Input";
import { countText } from "@/lib/prose";
import { keyOf, type Recipient } from "./recipients";

const MOST_NAME = 100;

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
      {chosen.length > 1 && !isSaved && (
        <Button size="sm" onClick={() => setOpen("save")}>
          Save as a group
        </Button>
      )}
      {groups.length > 0 && (
        <Button size="sm" onClick={() => setOpen("manage")}>
          Manage groups
        </Button>
      )}
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
      announce(`Group ${name.trim()} saved`);
      await client.invalidateQueries({ queryKey: recipientGroupsQuery.queryKey });
    },
  });
  return (
    <FormDialog
      onClose={onClose}
      title="Save as a group"
      description={`${countText(chosen.length, "person", "people")}. Only you can see your groups.`}
      confirm="Save group"
      ready={name.trim() !== ""}
      action={saving}
      onSubmit={() => saving.mutate(undefined, { onSuccess: onClose })}
    >
      <Field label="Name of the group">
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
      title="Groups of recipients"
      description="Only you can see your groups."
      footer={
        <Button tone="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <ul className="flex flex-col gap-4">
        {groups.map((group) => (
          <li key={group.id}>
            <GroupRow group={group} people={people} />
          </li>
        ))}
      </ul>
      {groups.length === 0 && <p className="text-quiet text-sm">You have no groups.</p>}
    </Dialog>
  );
}

function GroupRow({ group, people }: { group: RecipientGroup; people: readonly Recipient[] }) {
  const client = useQueryClient();
  const [name, setName] = useState(group.name);
  const reload = () => client.invalidateQueries({ queryKey: recipientGroupsQuery.queryKey });
  const renaming = useMutation({
    mutationFn: () => renameGroup(group.id, name.trim()),
    onSuccess: () => {
      announce(`Group renamed to ${name.trim()}`);
      return reload();
    },
  });
  const deleting = useMutation({
    mutationFn: () => deleteGroup(group.id),
    onSuccess: () => {
      announce(`Group ${group.name} deleted`);
      return reload();
    },
  });
  const changed = name.trim() !== "" && name.trim() !== group.name;
  return (
    <form
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (changed) renaming.mutate();
      }}
    >
      <div className="flex flex-wrap items-end gap-2">
        <Field label={`Name of ${group.name}`} labelHidden className="min-w-40 flex-1">
          <Input
            value={name}
            maxLength={MOST_NAME}
            autoComplete="off"
            onChange={({ target }) => setName(target.value)}
          />
        </Field>
        <Button type="submit" disabled={!changed} busy={renaming.isPending} aria-label={`Rename ${group.name}`}>
          Rename
        </Button>
        <Button
          tone="danger"
          busy={deleting.isPending}
          aria-label={`Delete ${group.name}`}
          onClick={() => deleting.mutate()}
        >
          Delete
        </Button>
      </div>
      <p className="wrap-anywhere text-quiet text-sm">
        {group.members.map((member) => memberText(member, people)).join(", ")}
      </p>
      {(renaming.error ?? deleting.error) && <ErrorPanel problem={renaming.error ?? deleting.error} />}
    </form>
  );
}

/** "Bruno (Harbour office) at bravo"; the login if the list of the gateway does not name the person. */
function memberText(member: RecipientNamed, people: readonly Recipient[]): string {
  const person = people.find((one) => keyOf(one) === keyOf(member));
  if (!person) return `${member.name} at ${member.peer}`;
  return `${person.display_name}${person.unit ? ` (${person.unit})` : ""} at ${member.peer}`;
}
