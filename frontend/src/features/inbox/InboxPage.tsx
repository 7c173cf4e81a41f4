import { plural, t } from "@lingui/core/macro";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Inbox, SearchX, Trash2 } from "lucide-react";
import { useState } from "react";
import {
  changeEntries,
  type EntryFilter,
  entriesArchive,
  entryContentUrl,
  entryCountsQuery,
  entryIds,
  entryTagsQuery,
  inboxQuery,
} from "@/api/inbox";
import type { EntryShown } from "@/api/types";
import { announce } from "@/components/announce";
import { NothingYet, PagedError, useAnnouncedCount, usePagedRows } from "@/components/paged-rows";
import { SearchField } from "@/components/SearchField";
import { SelectableRowList } from "@/components/SelectableRowList";
import { SortSelect, sortOf } from "@/components/SortSelect";
import { NOTHING_SELECTED, type Selection, toggleAll } from "@/components/selection";
import { NewTagDialog } from "@/components/tags/NewTagDialog";
import { TagFilter } from "@/components/tags/TagFilter";
import { Button } from "@/components/ui/Button";
import { ConfirmDialog } from "@/components/ui/ConfirmDialog";
import { EmptyState } from "@/components/ui/EmptyState";
import { PageHeader } from "@/components/ui/PageHeader";
import { RowListSkeleton } from "@/components/ui/RowList";
import { SegmentedControl } from "@/components/ui/SegmentedControl";
import { toastError } from "@/components/ui/toasts";
import { useListChanges } from "@/components/use-list-changes";
import { useSelection } from "@/components/use-selection";
import { withoutEmpty } from "@/lib/without-empty";
import { useSession } from "@/session/session";
import { EmptyInbox } from "./EmptyInbox";
import type { EntryAction } from "./EntryRowMenu";
import { EntrySelectionBar } from "./EntrySelectionBar";
import { deletedColumns, ENTRY_COLUMNS, entryColumns } from "./entry-columns";
import { asView, filterOf, type InboxView, SORTS, VIEWS } from "./inbox-view";

const route = getRouteApi("/in/inbox");

type Selected = Selection<{ id: string }>;

/** Received documents: search, filter, sort, and actions on one or several. New ones appear automatically. */
export function InboxPage() {
  const asked = route.useSearch();
  const navigate = route.useNavigate();
  const view = asView(asked.view);
  const sort = sortOf(SORTS, asked.sort);
  const { search = "", tag } = asked;
  const tags = useQuery(entryTagsQuery).data ?? [];
  const show = (change: { search?: string; view?: InboxView; sort?: string | undefined; tag?: string | undefined }) =>
    void navigate({
      search: (before) => {
        const next = { ...before, ...change };
        return withoutEmpty({
          search: next.search,
          view: next.view === "all" ? undefined : next.view,
          sort: next.sort,
          tag: next.tag,
        });
      },
      replace: true,
    });
  const totals = useQuery(entryCountsQuery()).data;

  return (
    <>
      <PageHeader dense title={t`Inbox`}>
        {/* Keeps the space of the line, so that nothing moves when its text appears. */}
        {totals === undefined ? "\u00a0" : totalsText(totals.entries, totals.unread)}
      </PageHeader>
      <div className="flex flex-col gap-3">
        <div className="flex flex-wrap items-center gap-2">
          <SearchField
            label={t`Search by name, sender or gateway`}
            placeholder={t`Name, sender or gateway`}
            value={search}
            onSearch={(text) => show({ search: text })}
          />
          <SegmentedControl
            label={t`Show`}
            value={view}
            onValueChange={(next) => show({ view: next })}
            segments={VIEWS}
          />
          {view !== "deleted" && (
            <SortSelect sorts={SORTS} sort={sort} onSort={(sort) => show({ sort })} className="w-40" />
          )}
          {view !== "deleted" && <TagFilter tags={tags} value={tag} onValueChange={(next) => show({ tag: next })} />}
        </div>
        <Entries
          key={view}
          filter={filterOf(search, view, sort.asked, tag)}
          tags={tags}
          view={view}
          search={search}
          onShowAll={() => void navigate({ search: {}, replace: true })}
          onShowDeleted={() => show({ view: "deleted" })}
        />
      </div>
    </>
  );
}

interface EntriesProps {
  filter: EntryFilter;
  tags: readonly { readonly name: string }[];
  view: InboxView;
  search: string;
  onShowAll: () => void;
  onShowDeleted: () => void;
}

function Entries({ filter, tags, view, search, onShowAll, onShowDeleted }: EntriesProps) {
  const { person } = useSession();
  const found = usePagedRows(useInfiniteQuery(inboxQuery(filter)));
  const counted = useQuery(entryCountsQuery(filter)).data;
  const matching = counted && !counted.more ? counted.entries : null;
  const [selection, setSelection] = useSelection(JSON.stringify([view, search, filter.tag]));
  const [removing, setRemoving] = useState<{ ids: readonly string[]; name?: string } | null>(null);
  const { change, download, busy } = useListChanges({ queryKey: "inbox", send: changeEntries });
  const { rows: entries, more } = found;
  const [namingTag, setNamingTag] = useState(false);
  const chosen = [...selection.selected.keys()];
  const deleted = view === "deleted";
  useAnnouncedCount("document", found.isPlaceholderData ? "" : search, counted?.entries, counted?.more ?? false);

  const select = (next: Selected) => {
    setSelection(next);
    announce(plural(next.selected.size, { one: "# document selected", other: "# documents selected" }));
  };
  const act = async (action: EntryAction, ids: readonly string[], entry?: EntryShown) => {
    const name = entry?.name;
    if (action === "delete forever") setRemoving({ ids, ...(name !== undefined && { name }) });
    else if (action === "download") {
      if (entry) saveEntry(entry);
      else {
        const edition = person.cleared ? "full" : "redacted";
        await download(ids, () => entriesArchive(ids, edition), "inbox.zip");
      }
    } else if (await change(ids, action, name === undefined ? {} : { name })) {
      if (action === "delete" || action === "restore") setSelection((now) => without(now, ids));
    }
  };
  const chooseAll = async () => {
    try {
      const ids = await entryIds(filter);
      select({ selected: new Map(ids.map((id) => [id, { id }])), last: null });
    } catch (error) {
      toastError(t`Could not choose all documents.`, error);
    }
  };

  if (found.isPending || (found.isPlaceholderData && entries?.length === 0)) {
    return <RowListSkeleton dense label={t`Loading the inbox`} columns={ENTRY_COLUMNS} />;
  }
  const onAction = (action: EntryAction, entry: EntryShown) => void act(action, [entry.id], entry);
  const kept = entries?.some(({ kept_until }) => kept_until !== null) ?? false;
  const here = entries?.filter(({ id }) => selection.selected.has(id)).length ?? 0;
  return (
    <>
      <PagedError found={found} what={t`the inbox`} />
      {deleted && entries && entries.length > 0 && (
        <p className="text-quiet text-sm">{t`Restore a document to read it. Until it is removed, it takes up space on the gateway.`}</p>
      )}
      {entries && entries.length > 0 && (
        <SelectableRowList
          aria-label={deleted ? t`Deleted documents` : t`Received documents`}
          rows={entries}
          columns={deleted ? deletedColumns(onAction) : entryColumns(onAction, kept)}
          nameOf={({ name }) => name}
          selection={selection as Selection<EntryShown>}
          onSelection={select}
          stale={found.isPlaceholderData}
          more={more}
          bar={
            <EntrySelectionBar
              here={here}
              shown={entries.length}
              selected={selection.selected.size}
              matching={matching}
              deleted={deleted}
              tags={tags}
              tagsOfSelected={entries.filter(({ id }) => selection.selected.has(id)).map((entry) => entry.tags)}
              onTag={(name) => void change(chosen, "tag", { tag: name })}
              onUntag={(name) => void change(chosen, "untag", { tag: name })}
              onNewTag={() => setNamingTag(true)}
              busy={busy}
              onAll={(on) => select(on ? toggleAll(selection, entries, true) : NOTHING_SELECTED)}
              onAllMatching={() => void chooseAll()}
              onClear={() => select(NOTHING_SELECTED)}
              onAction={(action) => void act(action, chosen)}
            />
          }
        />
      )}
      {entries?.length === 0 && more && <NothingYet more={more} />}
      {entries?.length === 0 && !more && (
        <Nothing view={view} search={search} onShowAll={onShowAll} onShowDeleted={onShowDeleted} />
      )}
      {namingTag && (
        <NewTagDialog open onClose={() => setNamingTag(false)} onTag={(name) => change(chosen, "tag", { tag: name })} />
      )}
      <ConfirmDialog
        open={removing !== null}
        onClose={() => setRemoving(null)}
        title={
          removing?.ids.length === 1
            ? t`Delete this document forever?`
            : t`Delete ${plural(removing?.ids.length ?? 0, { one: "# document", other: "# documents" })} forever?`
        }
        confirm={t`Delete forever`}
        onConfirm={() => {
          if (!removing) return;
          setRemoving(null);
          // "delete forever" is the name of an action, not a text.
          void change(removing.ids, "delete forever", removing.name === undefined ? {} : { name: removing.name }).then(
            (worked) => worked && setSelection((now) => without(now, removing.ids)),
          );
        }}
      >
        <p className="wrap-anywhere">
          {removing?.name && `${t`“${removing.name}” will be gone from your inbox.`} `}
          {t`This can’t be undone. Other recipients keep their copies.`}
        </p>
      </ConfirmDialog>
    </>
  );
}

function Nothing({ view, search, onShowAll, onShowDeleted }: Omit<EntriesProps, "filter" | "tags">) {
  if (search !== "") {
    return (
      <EmptyState
        icon={<SearchX aria-hidden />}
        title={t`No documents match “${search}”`}
        action={<Button onClick={onShowAll}>{t`Show all`}</Button>}
      >{t`Search looks at names, senders and gateways, not at the text.`}</EmptyState>
    );
  }
  switch (view) {
    case "unread":
      return (
        <EmptyState
          icon={<Inbox aria-hidden />}
          title={t`You have read everything`}
          action={<Button onClick={onShowAll}>{t`Show all`}</Button>}
        >{t`New documents appear here automatically.`}</EmptyState>
      );
    case "deleted":
      return (
        <EmptyState
          icon={<Trash2 aria-hidden />}
          title={t`No deleted documents`}
        >{t`Documents that you delete stay here for some days, and you can restore them.`}</EmptyState>
      );
    default:
      return <EmptyInbox onShowDeleted={onShowDeleted} />;
  }
}

/** Downloads one document: the whole, or what its reader may have. */
function saveEntry(entry: EntryShown): void {
  const [best] = entry.editions;
  if (!best) return;
  const link = document.createElement("a");
  link.href = entryContentUrl(entry.id, best);
  link.download = "";
  link.click();
}

function without(selection: Selected, ids: readonly string[]): Selected {
  const gone = new Set(ids);
  return { ...selection, selected: new Map([...selection.selected].filter(([id]) => !gone.has(id))) };
}

function totalsText(entries: number, unread: number): string {
  return t`${plural(entries, { one: "# document", other: "# documents" })}, ${plural(unread, { one: "# unread", other: "# unread" })}`;
}
