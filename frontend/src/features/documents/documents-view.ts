/** How an author's documents are filtered and sorted, from the address. */
import { t } from "@lingui/core/macro";
import type { DraftFilter } from "@/api/drafts";

export type DocumentsView = "all" | "templates" | "deleted";
export type DocumentsSort = "latest" | "oldest" | "name" | "size" | "state";

export const VIEWS: readonly { value: DocumentsView; label: string }[] = [
  { value: "all", label: t`All` },
  { value: "templates", label: t`Templates` },
  { value: "deleted", label: t({ context: "list", message: "Deleted" }) },
];

export const SORTS: readonly { value: DocumentsSort; label: string }[] = [
  { value: "latest", label: t`Latest first` },
  { value: "oldest", label: t`Oldest first` },
  { value: "name", label: t`By name` },
  { value: "size", label: t`Largest first` },
  { value: "state", label: t`By state` },
];

const ASKED: Record<DocumentsSort, DraftFilter> = {
  latest: {},
  oldest: { descending: false },
  name: { sort: "name", descending: false },
  size: { sort: "size" },
  state: { sort: "state", descending: false },
};

export function asView(text: string | undefined): DocumentsView {
  return VIEWS.find(({ value }) => value === text)?.value ?? "all";
}

export function asSort(text: string | undefined): DocumentsSort {
  return SORTS.find(({ value }) => value === text)?.value ?? "latest";
}

/** What the gateway is asked for. */
export function filterOf(
  search: string,
  view: DocumentsView,
  sort: DocumentsSort,
  tag: string | undefined,
): DraftFilter {
  return {
    ...(search !== "" && { search }),
    ...(tag !== undefined && { tag }),
    ...(view === "templates" && { templates: true }),
    ...ASKED[sort],
  };
}
