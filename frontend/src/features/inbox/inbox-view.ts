/** How the inbox is filtered and sorted, from the address. */
import { t } from "@lingui/core/macro";
import type { EntryFilter } from "@/api/inbox";
import { BY_NAME, LARGEST, LATEST, OLDEST } from "@/components/SortSelect";

export type InboxView = "all" | "unread" | "deleted";

export const VIEWS: readonly { value: InboxView; label: string }[] = [
  { value: "all", label: t`All` },
  { value: "unread", label: t`Unread` },
  { value: "deleted", label: t({ context: "list", message: "Deleted" }) },
];

export const SORTS = [
  LATEST,
  OLDEST,
  { value: "sender", label: t`By sender`, asked: { sort: "sender", descending: false } },
  BY_NAME,
  LARGEST,
] as const;

export function asView(text: string | undefined): InboxView {
  return VIEWS.find(({ value }) => value === text)?.value ?? "all";
}

/** What the gateway is asked for. Deleted entries are always the latest deleted first. */
export function filterOf(search: string, view: InboxView, sort: EntryFilter, tag: string | undefined): EntryFilter {
  return {
    ...(search !== "" && { search }),
    ...(tag !== undefined && view !== "deleted" && { tag }),
    ...(view === "unread" && { unread: true }),
    ...(view === "deleted" ? { deleted: true } : sort),
  };
}
