import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { EllipsisVertical } from "lucide-react";
import type { PersonShown } from "@/api/types";
import { Badge } from "@/components/ui/Badge";
import type { Column } from "@/components/ui/DataTable";
import { IconButton } from "@/components/ui/IconButton";
import { Menu, MenuItem, MenuSeparator } from "@/components/ui/Menu";
import { RelativeTime } from "@/components/ui/RelativeTime";
import { dayText } from "@/lib/times";

/** Actions on an account. `disable` also enables it again. */
export type PersonAction = "edit" | "link" | "tokens" | "webhooks" | "factors" | "disable";

/** What tells people of one name apart: beside the name, on a phone below it. */
const MORE_NAME = "wrap-anywhere font-normal text-quiet max-sm:block sm:ml-2";

/**
 * The columns of the list of people. `onAction` is called with the choice from a row's menu. `withFactor`: the ids of those
 * who have a second factor.
 */
export function personColumns(
  onAction: (action: PersonAction, person: PersonShown) => void,
  withFactor: ReadonlySet<string>,
): Column<PersonShown>[] {
  return [
    {
      id: "name",
      header: t`Name`,
      names: true,
      className: "max-sm:pr-10!",
      sortBy: (person) => person.display_name.toLowerCase(),
      cell: (person) => (
        <>
          <span className="wrap-anywhere">{person.display_name}</span>
          <span className={MORE_NAME}>{person.name}</span>
          {person.unit && <span className={MORE_NAME}>{person.unit}</span>}
        </>
      ),
    },
    { id: "roles", header: t`Roles`, cell: (person) => <Roles person={person} /> },
    {
      id: "signs-in",
      header: t`Sign-in`,
      className: "lg:whitespace-nowrap",
      cell: (person) => {
        if (person.disabled_at)
          return (
            <Badge tone="danger">
              <Trans>Disabled</Trans>
            </Badge>
          );
        if (person.has_sso) return withFactor.has(person.id) ? t`Single sign-on and second factor` : t`Single sign-on`;
        if (withFactor.has(person.id)) return t`Password and second factor`;
        if (person.is_service) return t`By API token`;
        return person.has_password ? (
          t`Password set`
        ) : (
          <span className="text-quiet">
            <Trans>No password yet</Trans>
          </span>
        );
      },
    },
    {
      id: "since",
      header: t`Created`,
      sortBy: (person) => person.created_at,
      cell: (person) => <RelativeTime at={person.created_at} />,
    },
    {
      id: "actions",
      header: t`Actions`,
      headerHidden: true,
      align: "end",
      // At the top right of a card.
      className: "max-sm:absolute max-sm:top-2 max-sm:right-2 max-sm:block!",
      cell: (person) => (
        <Menu
          trigger={
            <IconButton
              label={t`Actions for ${{ name: person.display_name }}`}
              icon={<EllipsisVertical />}
              size="sm"
              className="sm:h-6 pointer-coarse:sm:h-11"
            />
          }
        >
          <MenuItem onClick={() => onAction("edit", person)}>
            <Trans>Change roles and clearance</Trans>
          </MenuItem>
          {!person.is_service && (
            <MenuItem disabled={person.disabled_at !== null} onClick={() => onAction("link", person)}>
              <Trans>Create one-time link</Trans>
            </MenuItem>
          )}
          <MenuItem onClick={() => onAction("tokens", person)}>
            <Trans>API tokens</Trans>
          </MenuItem>
          <MenuItem disabled={!withFactor.has(person.id)} onClick={() => onAction("factors", person)}>
            <Trans>Remove second factor</Trans>
          </MenuItem>
          <MenuItem onClick={() => onAction("webhooks", person)}>
            <Trans>Webhooks</Trans>
          </MenuItem>
          <MenuSeparator />
          <MenuItem tone={person.disabled_at ? "plain" : "danger"} onClick={() => onAction("disable", person)}>
            {person.disabled_at ? t`Enable` : t`Disable`}
          </MenuItem>
        </Menu>
      ),
    },
  ];
}

/** What clearance and roles do not cover until a second admin agrees. */
function Limits({ person }: { person: PersonShown }) {
  const limits = [
    person.cleared &&
      person.cleared_since &&
      t`Cleared since ${{ day: dayText(new Date(person.cleared_since)) }}; not for earlier documents`,
    person.locked_before &&
      t`Reset on ${{ day: dayText(new Date(person.locked_before)) }}; earlier documents are locked`,
    person.is_admin && !person.admin_confirmed && t`Does not count as a second admin`,
  ].filter(Boolean);
  return limits.map((limit) => (
    <span key={String(limit)} className="basis-full text-quiet">
      {limit}
    </span>
  ));
}

function Roles({ person }: { person: PersonShown }) {
  const roles = [person.is_author && t`Author`, person.is_recipient && t`Recipient`, person.is_admin && t`Admin`];
  const held = roles.filter((role) => role !== false);
  return (
    <span className="flex flex-wrap gap-1">
      {person.is_service && (
        <Badge tone="quiet">
          <Trans>Service account</Trans>
        </Badge>
      )}
      {held.map((role) => (
        <Badge key={role} tone="quiet">
          {role}
        </Badge>
      ))}
      {person.cleared && (
        <Badge tone="secure">
          <Trans>Cleared</Trans>
        </Badge>
      )}
      {held.length === 0 && !person.cleared && (
        <span className="text-quiet">
          <Trans>None</Trans>
        </span>
      )}
      <Limits person={person} />
    </span>
  );
}
