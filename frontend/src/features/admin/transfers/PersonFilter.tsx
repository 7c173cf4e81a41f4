import { t } from "@lingui/core/macro";
import { useQuery } from "@tanstack/react-query";
import { peopleQuery } from "@/api/people";
import { Select } from "@/components/ui/Select";

interface PersonFilterProps {
  who: "author" | "recipient";
  /** A login. */
  value: string | undefined;
  onValueChange: (login: string | undefined) => void;
}

const LABELS = { author: t`Author`, recipient: t`Recipient` };
const ANY = { author: t`Any author`, recipient: t`Any recipient` };

/** Filters by the author or a recipient, who may no longer have that role. */
export function PersonFilter({ who, value, onValueChange }: PersonFilterProps) {
  const people = useQuery(peopleQuery).data ?? [];
  const choices = people
    .filter((person) => (who === "author" ? person.is_author : person.is_recipient) || person.name === value)
    .map(({ name, display_name }) => ({ value: name, label: display_name, hint: name }));
  if (value !== undefined && !choices.some((choice) => choice.value === value)) {
    choices.push({ value, label: value, hint: value });
  }
  return (
    <Select
      label={LABELS[who]}
      labelHidden
      className="col-span-2 w-full sm:w-40"
      value={value ?? ""}
      onValueChange={(login) => onValueChange(login || undefined)}
      choices={[{ value: "", label: ANY[who] }, ...choices]}
    />
  );
}
