/** How the inbox is filtered and sorted, from the address. */
import { t } from "@lingui/core/macro";
import type { EntryFilter } from "@/api/inbox";

export type InboxView = "all" | "unread" | "deleted";
export type InboxSort = "latest" | "oldest" | "sender" | "name" | "size";

export const VIEWS: readonly { value: InboxView; label: string }[] = [
  { value: "all", label: t`All` },
  { value: "unread", label: t`Unread` },
  { value: "deleted", label: t({ context: "list", message: "Deleted" }) },
];

export const SORTS: readonly { value: InboxSort; label: string }[] = [
  { value: "latest", label: t`Latest first` },
  { value: "oldest", label: t`Oldest first` },
  { value: "sender", label: t`By sender` },
  { value: "name", label: t`By name` },
  { value: "size", label: t`Largest first` },
];

const ASKED: Record<InboxSort, EntryFilter> = {
  latest: {},
  oldest: { descending: false },
  sender: { sort: "sender", descending: false },
  name: { sort: "name", descending: false },
  size: { sort: "size" },
};

export function asView(text: string | undefined): InboxView {
  return VIEWS.find(({ value }) => value === text)?.value ?? "all";
}

export function asSort(text: string | undefined): InboxSort {
  return SORTS.find(({ value }) => value === text)?.value ?? "latest";
}

/** What the gateway is asked for. Deleted entries are always the latest deleted first. */
export function filterOf(search: string, view: InboxView, sort: InboxSort, tag: string | undefined): EntryFilter {
  return {
    ...(search !== "" && { search }),
    ...(tag !== undefined && view !== "deleted" && { tag }),
    ...(view === "unread" && { unread: true }),
    ...(view === "deleted" ? { deleted: true } : ASKED[sort]),
  };
}
