import { EllipsisVertical } from "lucide-react";
import type { PersonShown } from "@/api/types";
import { Badge } from "@/components/ui/Badge";
import type { Column } from "@/components/ui/DataTable";
import { IconButton } from "@/components/ui/IconButton";
import { Menu, MenuItem, MenuSeparator } from "@/components/ui/Menu";
import { RelativeTime } from "@/components/ui/RelativeTime";

/** Actions on an account. `disable` also enables it again. */
export type PersonAction = "edit" | "link" | "webhooks" | "disable";

/** The columns of the list of people. `onAction` is called with the choice from a row's menu. */
export function personColumns(onAction: (action: PersonAction, person: PersonShown) => void): Column<PersonShown>[] {
  return [
    {
      id: "name",
      header: "Name",
      names: true,
      className: "max-sm:pr-10!",
      sortBy: (person) => person.display_name.toLowerCase(),
      cell: (person) => (
        <>
          <span className="wrap-anywhere">{person.display_name}</span>
          <span className="block wrap-anywhere font-normal text-quiet">{person.name}</span>
          {person.unit && <span className="block wrap-anywhere font-normal text-quiet">{person.unit}</span>}
        </>
      ),
    },
    { id: "roles", header: "Roles", cell: (person) => <Roles person={person} /> },
    {
      id: "signs-in",
      header: "Sign-in",
      cell: (person) => {
        if (person.disabled_at) return <Badge tone="danger">Disabled</Badge>;
        return person.has_password ? "Password set" : <span className="text-quiet">No password yet</span>;
      },
    },
    {
      id: "since",
      header: "Created",
      sortBy: (person) => person.created_at,
      cell: (person) => <RelativeTime at={person.created_at} />,
    },
    {
      id: "actions",
      header: "Actions",
      headerHidden: true,
      align: "end",
      // At the top right of a card.
      className: "max-sm:absolute max-sm:top-2 max-sm:right-2 max-sm:block!",
      cell: (person) => (
        <Menu trigger={<IconButton label={`Actions for ${person.display_name}`} icon={<EllipsisVertical />} />}>
          <MenuItem onClick={() => onAction("edit", person)}>Change roles and clearance</MenuItem>
          <MenuItem disabled={person.disabled_at !== null} onClick={() => onAction("link", person)}>
            Create one-time link
          </MenuItem>
          <MenuItem onClick={() => onAction("webhooks", person)}>Webhooks</MenuItem>
          <MenuSeparator />
          <MenuItem tone={person.disabled_at ? "plain" : "danger"} onClick={() => onAction("disable", person)}>
            {person.disabled_at ? "Enable" : "Disable"}
          </MenuItem>
        </Menu>
      ),
    },
  ];
}

function Roles({ person }: { person: PersonShown }) {
  const roles = [person.is_author && "Author", person.is_recipient && "Recipient", person.is_admin && "Admin"];
  const held = roles.filter((role) => role !== false);
  return (
    <span className="flex flex-wrap gap-1">
      {held.map((role) => (
        <Badge key={role} tone="quiet">
          {role}
        </Badge>
      ))}
      {person.cleared && <Badge tone="secure">Cleared</Badge>}
      {held.length === 0 && !person.cleared && <span className="text-quiet">None</span>}
    </span>
  );
}
