/** How an author's documents are filtered and sorted, from the address. */
import { t } from "@lingui/core/macro";
import type { DraftFilter } from "@/api/drafts";
import { BY_NAME, LARGEST, LATEST, OLDEST } from "@/components/SortSelect";

export type DocumentsView = "all" | "templates" | "deleted";

export const VIEWS: readonly { value: DocumentsView; label: string }[] = [
  { value: "all", label: t`All` },
  { value: "templates", label: t`Templates` },
  { value: "deleted", label: t({ context: "list", message: "Deleted" }) },
];

export const SORTS = [
  LATEST,
  OLDEST,
  BY_NAME,
  LARGEST,
  { value: "state", label: t`By state`, asked: { sort: "state", descending: false } },
] as const;

export function asView(text: string | undefined): DocumentsView {
  return VIEWS.find(({ value }) => value === text)?.value ?? "all";
}

/** What the gateway is asked for. */
export function filterOf(search: string, view: DocumentsView, sort: DraftFilter, tag: string | undefined): DraftFilter {
  return {
    ...(search !== "" && { search }),
    ...(tag !== undefined && { tag }),
    ...(view === "templates" && { templates: true }),
    ...sort,
  };
}
