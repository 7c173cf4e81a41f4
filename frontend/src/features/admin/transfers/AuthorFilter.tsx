import { useQuery } from "@tanstack/react-query";
import { peopleQuery } from "@/api/people";
import { Select } from "@/components/ui/Select";

interface AuthorFilterProps {
  /** A login. */
  value: string | undefined;
  onValueChange: (login: string | undefined) => void;
}

/** Filters by author, who may no longer have that role. */
export function AuthorFilter({ value, onValueChange }: AuthorFilterProps) {
  const people = useQuery(peopleQuery).data ?? [];
  const choices = people
    .filter(({ is_author, name }) => is_author || name === value)
    .map(({ name, display_name }) => ({ value: name, label: display_name, hint: name }));
  if (value !== undefined && !choices.some((choice) => choice.value === value)) {
    choices.push({ value, label: value, hint: value });
  }
  return (
    <Select
      label="Author"
      labelHidden
      className="col-span-2 w-full sm:w-44"
      value={value ?? ""}
      onValueChange={(login) => onValueChange(login || undefined)}
      choices={[{ value: "", label: "Any author" }, ...choices]}
    />
  );
}
