import { useQuery } from "@tanstack/react-query";
import { EyeOff, Lock, TriangleAlert, UsersRound } from "lucide-react";
import { useMemo } from "react";
import { recipientGroupsQuery } from "@/api/recipients";
import { Badge } from "@/components/ui/Badge";
import { type ComboChoice, MultiCombobox } from "@/components/ui/MultiCombobox";
import { DirectoryNotes } from "./DirectoryNotes";
import { RecipientGroups } from "./RecipientGroups";
import { detailOf, keyOf, namesakes, type Recipient, sameNameWarnings } from "./recipients";
import type { DirectoryState } from "./use-directories";

interface RecipientsFieldProps {
  directories: readonly DirectoryState[];
  /** The people at all gateways, in the order in which they are offered. */
  people: readonly Recipient[];
  /** The keys of the chosen people. */
  value: readonly string[];
  onValueChange: (keys: string[]) => void;
  error: string | null;
}

const GROUP = "group:";

/** Chooses recipients, one by one or by group, from those that the gateways name. */
export function RecipientsField({ directories, people, value, onValueChange, error }: RecipientsFieldProps) {
  const { data: groups = [] } = useQuery(recipientGroupsQuery);
  const choices = useMemo(() => {
    const same = new Set(namesakes(people).map(keyOf));
    const known = new Set(people.map(keyOf));
    const usable = groups.filter(({ members }) => members.some((member) => known.has(keyOf(member))));
    return [
      ...usable.map(({ id, name, members }) => ({
        value: `${GROUP}${id}`,
        label: name,
        detail: `Group: ${members.map((member) => people.find((one) => keyOf(one) === keyOf(member))?.display_name ?? member.name).join(", ")}`,
        note: <UsersRound aria-hidden />,
      })),
      ...people.map((one) => choiceOf(one, same.has(keyOf(one)))),
    ];
  }, [people, groups]);
  const chosen = people.filter((one) => value.includes(keyOf(one)));

  const choose = (keys: string[]) => {
    const members = groups.filter(({ id }) => keys.includes(`${GROUP}${id}`)).flatMap((group) => group.members);
    const known = new Set(people.map(keyOf));
    const added = members.map(keyOf).filter((key) => known.has(key));
    onValueChange([...new Set([...keys.filter((key) => !key.startsWith(GROUP)), ...added])]);
  };
  return (
    <div className="flex flex-col gap-2">
      {(people.length > 0 || directories.some(({ loading }) => loading)) && (
        <MultiCombobox
          label="Recipients"
          placeholder="Type a name, login or unit"
          choices={choices}
          value={value}
          onValueChange={choose}
          error={error}
          empty="No matching recipients"
          warn={(shown) =>
            sameNameWarnings(
              people.filter((one) => shown.includes(keyOf(one))),
              people,
            )
          }
        />
      )}
      {sameNameWarnings(chosen, people).map((warning) => (
        <p key={warning} role="status" className="wrap-anywhere flex gap-2 text-sm">
          <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
          {warning}
        </p>
      ))}
      <DirectoryNotes directories={directories} />
      <RecipientGroups groups={groups} chosen={chosen} />
    </div>
  );
}

function choiceOf(one: Recipient, hasNamesake: boolean): ComboChoice {
  return {
    value: keyOf(one),
    label: one.display_name,
    detail: detailOf(one),
    ...(hasNamesake && { chip: `${one.display_name} (${one.unit ?? one.name})` }),
    note: one.cleared ? (
      <Badge tone="secure" icon={<Lock aria-hidden />}>
        Cleared
      </Badge>
    ) : (
      <Badge tone="quiet" icon={<EyeOff aria-hidden />}>
        Not cleared
      </Badge>
    ),
  };
}
