import { t } from "@lingui/core/macro";
import { useQuery } from "@tanstack/react-query";
import { TriangleAlert, UsersRound } from "lucide-react";
import { useMemo } from "react";
import { recipientGroupsQuery } from "@/api/recipients";
import { MultiCombobox } from "@/components/ui/MultiCombobox";
import { listText } from "@/lib/prose";
import { DirectoryNotes } from "./DirectoryNotes";
import { RecipientGroups } from "./RecipientGroups";
import { choicesOf } from "./recipient-choice";
import { keyOf, type Recipient, sameNameWarnings, type Unlisted } from "./recipients";
import type { DirectoryState } from "./use-directories";

interface RecipientsFieldProps {
  directories: readonly DirectoryState[];
  /** The people at all gateways, in the order in which they are offered. */
  people: readonly Recipient[];
  /** The keys of the chosen people. */
  value: readonly string[];
  onValueChange: (keys: string[]) => void;
  /** Those of the chosen whom no list names. Nothing can be sent to them. */
  unlisted: readonly Unlisted[];
  error: string | null;
}

const GROUP = "group:";

/** Chooses recipients, one by one or by group, from those that the gateways name. */
export function RecipientsField({ directories, people, value, onValueChange, unlisted, error }: RecipientsFieldProps) {
  const { data: groups = [] } = useQuery(recipientGroupsQuery);
  const choices = useMemo(() => {
    const known = new Set(people.map(keyOf));
    const usable = groups.filter(({ members }) => members.some((member) => known.has(keyOf(member))));
    return [
      ...usable.map(({ id, name, members }) => ({
        value: `${GROUP}${id}`,
        label: name,
        detail: t`Group: ${members.map((member) => people.find((one) => keyOf(one) === keyOf(member))?.display_name ?? member.name).join(", ")}`,
        note: <UsersRound aria-hidden />,
      })),
      ...choicesOf(people),
    ];
  }, [people, groups]);
  const waiting = new Set(
    directories.filter(({ loading, refreshing, error }) => loading || refreshing || error).map(({ peer }) => peer),
  );
  const gone = unlisted.filter(({ peer }) => !waiting.has(peer));
  const chosen = people.filter((one) => value.includes(keyOf(one)));

  const choose = (keys: string[]) => {
    const members = groups.filter(({ id }) => keys.includes(`${GROUP}${id}`)).flatMap((group) => group.members);
    // Also those whom no gateway lists any more: the field names them, and the author removes them.
    onValueChange([...new Set([...keys.filter((key) => !key.startsWith(GROUP)), ...members.map(keyOf)])]);
  };
  return (
    <div className="flex flex-col gap-2">
      {(people.length > 0 || directories.some(({ loading }) => loading)) && (
        <MultiCombobox
          label={t`Recipients`}
          placeholder={t`Type a name, login or unit`}
          choices={choices}
          value={value}
          onValueChange={choose}
          nameOf={(key) => unlisted.find((one) => keyOf(one) === key)?.display_name ?? key}
          error={gone.length > 0 ? goneText(gone) : error}
          empty={t`No matching recipients`}
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
      <RecipientGroups groups={groups} people={people} chosen={chosen} />
    </div>
  );
}

/** "Rosa cannot receive at bravo. Remove this recipient." */
function goneText(gone: readonly Unlisted[]): string {
  const peers = [...new Set(gone.map(({ peer }) => peer))];
  const names = listText(gone.map(({ display_name }) => display_name));
  return gone.length === 1
    ? t`${names} cannot receive at ${listText(peers)}. Remove this recipient.`
    : t`${names} cannot receive at ${listText(peers)}. Remove these recipients.`;
}
