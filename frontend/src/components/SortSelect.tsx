import { t } from "@lingui/core/macro";
import { Select } from "./ui/Select";

/** A way to sort a list. `value`: its name in the address. `asked`: what the gateway is asked for. */
export interface Sort {
  readonly value: string;
  readonly label: string;
  readonly asked: object;
}

/** The first applies if the address names none. */
type Sorts = readonly [Sort, ...Sort[]];

// What most lists have.
export const LATEST = { value: "latest", label: t`Latest first`, asked: {} } as const;
export const OLDEST = { value: "oldest", label: t`Oldest first`, asked: { descending: false } } as const;
export const BY_NAME = { value: "name", label: t`By name`, asked: { sort: "name", descending: false } } as const;
export const LARGEST = { value: "size", label: t`Largest first`, asked: { sort: "size" } } as const;

/** The sort that the address names. */
export function sortOf<S extends Sorts>(sorts: S, name: string | undefined): S[number] {
  return sorts.find(({ value }) => value === name) ?? sorts[0];
}

interface SortSelectProps {
  sorts: Sorts;
  sort: Sort;
  /** `name`: for the address; undefined for the first sort. */
  onSort: (name: string | undefined) => void;
  className: string;
}

/** Chooses how a list is sorted. */
export function SortSelect({ sorts, sort, onSort, className }: SortSelectProps) {
  return (
    <Select
      label={t`Sort by`}
      labelHidden
      className={className}
      value={sort.value}
      onValueChange={(name) => onSort(name === sorts[0].value ? undefined : name)}
      choices={sorts}
    />
  );
}
