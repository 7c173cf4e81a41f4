/** How the list of sent documents is sorted, from the address. */
import { t } from "@lingui/core/macro";
import type { TransferFilters } from "@/api/transfers";

export type SentSort = "latest" | "oldest" | "name" | "peer" | "size" | "state";

export const SORTS: readonly { value: SentSort; label: string }[] = [
  { value: "latest", label: t`Latest first` },
  { value: "oldest", label: t`Oldest first` },
  { value: "name", label: t`By name` },
  { value: "peer", label: t`By peer` },
  { value: "size", label: t`Largest first` },
  { value: "state", label: t`By state` },
];

/** What the gateway is asked for. */
export const ASKED: Record<SentSort, Pick<TransferFilters, "sort" | "descending">> = {
  latest: {},
  oldest: { descending: false },
  name: { sort: "name", descending: false },
  peer: { sort: "peer", descending: false },
  size: { sort: "size" },
  state: { sort: "state", descending: false },
};

export function asSort(text: string | undefined): SentSort {
  return SORTS.find(({ value }) => value === text)?.value ?? "latest";
}
