import { plural, t } from "@lingui/core/macro";
import { Select } from "@/components/ui/Select";

const ANY_TAG = "";

interface TagFilterProps {
  /** The person's tags, and how many rows have each. */
  tags: readonly { readonly name: string; readonly items: number }[];
  /** The chosen one; undefined for any. */
  value: string | undefined;
  onValueChange: (tag: string | undefined) => void;
}

/** Shows only the rows with a tag. Nothing as long as there are no tags. */
export function TagFilter({ tags, value, onValueChange }: TagFilterProps) {
  if (tags.length === 0 && value === undefined) return null;
  // The address may name a tag that no row has any more.
  const gone = value !== undefined && !tags.some(({ name }) => name === value);
  return (
    <Select
      label={t`Tag`}
      labelHidden
      value={value ?? ANY_TAG}
      onValueChange={(next) => onValueChange(next === ANY_TAG ? undefined : next)}
      choices={[
        { value: ANY_TAG, label: t`Any tag` },
        ...tags.map(({ name, items }) => ({
          value: name,
          label: name,
          hint: plural(items, { one: "# document", other: "# documents" }),
        })),
        ...(gone ? [{ value, label: value }] : []),
      ]}
      className="w-36"
    />
  );
}
