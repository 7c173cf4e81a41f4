import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { FileText, FileUp, SearchX, SquarePen, Trash2 } from "lucide-react";
import { useState } from "react";
import { downloadDraft } from "@/api/draft-download";
import {
  changeDrafts,
  copyDraft,
  createDraft,
  type DraftsChange,
  deleteDraft,
  draftCountsQuery,
  draftIds,
  draftQuery,
  draftsArchive,
  draftsQuery,
  draftTagsQuery,
  restoreDraft,
} from "@/api/drafts";
import { mediaTypeOf } from "@/api/media-types";
import type { DraftShown } from "@/api/types";
import { announce } from "@/components/announce";
import { focusHeading } from "@/components/page-heading";
import { PagedError, useAnnouncedCount, usePagedRows } from "@/components/paged-rows";
import { SearchField } from "@/components/SearchField";
import { SortSelect, sortOf } from "@/components/SortSelect";
import { deselect } from "@/components/selection";
import { NewTagDialog } from "@/components/tags/NewTagDialog";
import { TagFilter } from "@/components/tags/TagFilter";
import { Button } from "@/components/ui/Button";
import { EmptyState } from "@/components/ui/EmptyState";
import { PageHeader } from "@/components/ui/PageHeader";
import { RowListSkeleton } from "@/components/ui/RowList";
import { SegmentedControl } from "@/components/ui/SegmentedControl";
import { toast, toastError } from "@/components/ui/toasts";
import { useListChanges } from "@/components/use-list-changes";
import { useSelection } from "@/components/use-selection";
import { LazySendDialog } from "@/features/transfers/LazySendDialog";
import { withEnding } from "@/lib/document-name";
import { sizeText } from "@/lib/sizes";
import { withoutEmpty } from "@/lib/without-empty";
import { DeletedDocuments } from "./DeletedDocuments";
import { RenameDialog } from "./DocumentDialogs";
import { DocumentList } from "./DocumentList";
import type { DocumentAction } from "./DocumentRowMenu";
import { DOCUMENT_COLUMNS } from "./document-columns";
import { asView, type DocumentsView, filterOf, SORTS, VIEWS } from "./documents-view";
import { FirstSteps } from "./FirstSteps";
import { useImport } from "./import/use-import";
import { NameDialog } from "./NameDialog";
import { TemplateMenu } from "./TemplateMenu";

const route = getRouteApi("/in/documents");

/** A dialog of this page, and the document that it is about. */
type DialogAsked =
  | { action: "new" | "tag" }
  | { action: "send"; drafts: readonly DraftShown[] }
  | { action: "rename" | "from template"; draft: DraftShown };

/** An author's documents, and buttons that create and import more. */
export function DocumentsPage() {
  const { search = "", tag, ...asked } = route.useSearch();
  const view = asView(asked.view);
  const sort = sortOf(SORTS, asked.sort);
  const deleted = view === "deleted";
  const filter = filterOf(search, view, sort.asked, tag);
  const navigate = useNavigate();
  const client = useQueryClient();
  const found = usePagedRows(useInfiniteQuery({ ...draftsQuery(filter), enabled: !deleted }));
  const { rows: drafts } = found;
  const [dialog, setDialog] = useState<{ asked: DialogAsked; open: boolean; turn: number } | null>(null);
  // It survives searches, so that documents from several searches are sent together; the bar counts those not shown.
  const [selection, setSelection] = useSelection(JSON.stringify([view, tag]));
  const { change, download, busy } = useListChanges({ queryKey: "drafts", send: changeDrafts });
  const tags = useQuery(draftTagsQuery).data ?? [];
  const matching = useQuery({ ...draftCountsQuery(filter), enabled: !deleted }).data?.drafts ?? null;
  const { choose, importing } = useImport();
  useAnnouncedCount("document", found.isPlaceholderData ? "" : search, drafts?.length, found.hasNextPage);

  const openDraft = (draft: DraftShown) => {
    client.setQueryData(draftQuery(draft.id).queryKey, draft);
    void client.invalidateQueries({ queryKey: ["drafts", "list"] });
    void navigate({ to: "/documents/$id", params: { id: draft.id } });
  };
  const show = (asked: DialogAsked) => setDialog((before) => ({ asked, open: true, turn: (before?.turn ?? 0) + 1 }));
  const restore = (draft: DraftShown) =>
    restoreDraft(draft.id)
      .then(() => client.invalidateQueries({ queryKey: ["drafts"] }))
      // The toast, which had the focus, is gone.
      .then(focusHeading)
      .catch((error: unknown) => toastError(t`“${{ name: draft.name }}” was not restored.`, error));
  const remove = async (draft: DraftShown) => {
    try {
      await deleteDraft(draft.id);
    } catch (error) {
      toastError(t`“${{ name: draft.name }}” was not deleted.`, error);
      return;
    }
    setSelection((now) => deselect(now, draft.id));
    toast(t`Deleted`, draft.name, { label: t`Undo`, onAction: () => void restore(draft) });
    await client.invalidateQueries({ queryKey: ["drafts"] });
    // The row's menu, which had the focus, is gone.
    if (document.activeElement === document.body) focusHeading();
  };
  const duplicate = async (draft: DraftShown) => {
    try {
      const copy = await copyDraft(draft.id, t`Copy of ${{ name: draft.name }}`);
      toast(t`Duplicated`, copy.name);
      await client.invalidateQueries({ queryKey: ["drafts"] });
    } catch (error) {
      toastError(t`“${{ name: draft.name }}” was not duplicated.`, error);
    }
  };
  const setTemplate = async (draft: DraftShown, what: "template" | "not template") => {
    if (!(await change([draft.id], what))) return;
    if (what === "template") toast(t`Saved as template`, t`Select “New from template” to start a document from it.`);
    else toast(t`No longer a template`, draft.name);
  };
  const changeSelected = async (what: DraftsChange, name?: string) => {
    const changed = await change([...selection.selected.keys()], what, name === undefined ? {} : { tag: name });
    if (changed && what === "delete") {
      setSelection((now) => changed.reduce((rest, id) => deselect(rest, id), now));
      // The button that had the focus is gone with the selection.
      if (document.activeElement === document.body) focusHeading();
    }
    return changed;
  };
  const sendSelected = async () => {
    // Those that were chosen with all that match are known by their IDs only.
    const known = new Map([...selection.selected, ...(drafts ?? []).map((draft) => [draft.id, draft] as const)]);
    const wanted = [...selection.selected.keys()].map((id) => {
      const row = known.get(id);
      return row && "name" in row ? (row as DraftShown) : client.fetchQuery(draftQuery(id));
    });
    try {
      show({ action: "send", drafts: await Promise.all(wanted) });
    } catch (error) {
      toastError(t`Could not load the selected documents.`, error);
    }
  };
  const chooseAll = async () => {
    try {
      const ids = await draftIds(filter);
      setSelection({ selected: new Map(ids.map((id) => [id, { id }])), last: null });
      announceSelected(ids.length);
    } catch (error) {
      toastError(t`Could not choose all documents.`, error);
    }
  };
  const act = (action: DocumentAction, draft: DraftShown) => {
    if (action === "rename") show({ action, draft });
    else if (action === "delete") void remove(draft);
    else if (action === "copy") void duplicate(draft);
    else if (action === "template" || action === "not template") void setTemplate(draft, action);
    else downloadDraft(draft).catch((error) => toastError(t`“${{ name: draft.name }}” was not downloaded.`, error));
  };

  const dialogOf = ({ asked, open, turn }: NonNullable<typeof dialog>) => {
    const shown = {
      open,
      // A late answer must not close a dialog that was opened meanwhile.
      onOpenChange: (next: boolean) => setDialog((now) => (now?.turn === turn ? { ...now, open: next } : now)),
    };
    const latest = (draft: DraftShown) => drafts?.find(({ id }) => id === draft.id) ?? draft;
    switch (asked.action) {
      case "new":
        return (
          <NameDialog
            key={turn}
            {...shown}
            title={t`New document`}
            first=""
            confirm={t`Create`}
            hint={t`End it in .md for Markdown. Without an ending, it gets .txt.`}
            onName={async (typed) => {
              const name = withEnding(typed);
              openDraft(await createDraft(name, mediaTypeOf({ name, type: "" }, true), "literal", ""));
            }}
          />
        );
      case "rename":
        return <RenameDialog key={turn} {...shown} draft={latest(asked.draft)} />;
      case "from template":
        return (
          <NameDialog
            key={turn}
            {...shown}
            title={t`New from template`}
            first={asked.draft.name}
            confirm={t`Create`}
            onName={async (name) => openDraft(await copyDraft(asked.draft.id, name))}
          />
        );
      case "tag":
        return (
          <NewTagDialog
            key={turn}
            open={open}
            onClose={() => shown.onOpenChange(false)}
            onTag={(name) => changeSelected("tag", name)}
          />
        );
      case "send": {
        const chosen = asked.drafts.filter(({ id }) => selection.selected.has(id)).map(latest);
        return (
          chosen.length > 0 && (
            <LazySendDialog
              key={turn}
              {...shown}
              drafts={chosen}
              onLeaveOut={(draft) => setSelection(deselect(selection, draft.id))}
            />
          )
        );
      }
    }
  };
  const start = (
    <>
      <Button icon={<FileUp />} onClick={choose}>
        <Trans>Import</Trans>
      </Button>
      <TemplateMenu onTemplate={(draft) => show({ action: "from template" /* not a text */, draft })} />
      <Button tone="primary" icon={<SquarePen />} onClick={() => show({ action: "new" })}>
        <Trans>New document</Trans>
      </Button>
    </>
  );
  const unfiltered = view === "all" && search === "" && tag === undefined;
  const none = unfiltered && drafts?.length === 0 && !found.isPlaceholderData;
  const total = useQuery(draftCountsQuery()).data;
  const inTrash = useQuery({ ...draftCountsQuery({ deleted: true }), enabled: none }).data?.drafts ?? 0;
  const showView = (next: {
    search?: string;
    view?: DocumentsView;
    sort?: string | undefined;
    tag?: string | undefined;
  }) =>
    void navigate({
      to: "/documents",
      search: (before) => {
        const { search, view, sort, tag } = { ...before, ...next };
        return withoutEmpty({
          search,
          view: view === "all" ? undefined : view,
          sort,
          tag,
        });
      },
      replace: true,
    });

  return (
    <>
      <PageHeader
        dense={!none}
        title={t`Documents`}
        actions={none ? undefined : start}
        actionsAwaited={found.isPending}
      >
        {!none && (
          <>
            {total !== undefined && `${totalsText(total.drafts, total.bytes)} `}
            <Trans>Only you can see a document until you send it.</Trans>
          </>
        )}
      </PageHeader>
      {none ? (
        <>
          <FirstSteps start={start} />
          {inTrash > 0 && (
            <Button className="mt-6" icon={<Trash2 />} onClick={() => showView({ view: "deleted" })}>
              {plural(inTrash, { one: "Show # deleted document", other: "Show # deleted documents" })}
            </Button>
          )}
        </>
      ) : (
        <div className="flex flex-col gap-3">
          <div className="flex flex-wrap items-center gap-2">
            <SearchField label={t`Search by name`} value={search} onSearch={(text) => showView({ search: text })} />
            <SegmentedControl
              label={t`Show`}
              value={view}
              onValueChange={(next) => showView({ view: next })}
              segments={VIEWS}
            />
            {!deleted && (
              <SortSelect sorts={SORTS} sort={sort} onSort={(sort) => showView({ sort })} className="w-36" />
            )}
            {!deleted && <TagFilter tags={tags} value={tag} onValueChange={(next) => showView({ tag: next })} />}
          </div>
          {deleted ? (
            <DeletedDocuments search={search} />
          ) : (
            <>
              <PagedError found={found} what={t`your documents`} />
              {(found.isPending || (found.isPlaceholderData && drafts?.length === 0)) && (
                <RowListSkeleton dense label={t`Loading the documents`} columns={DOCUMENT_COLUMNS} />
              )}
              {drafts && drafts.length > 0 && (
                <DocumentList
                  drafts={drafts}
                  tags={tags}
                  stale={found.isPlaceholderData}
                  more={found.more}
                  selection={selection}
                  onSelection={(next) => {
                    setSelection(next);
                    announceSelected(next.selected.size);
                  }}
                  matching={matching}
                  busy={busy}
                  onAllMatching={() => void chooseAll()}
                  onSend={() => void sendSelected()}
                  onDownload={() => {
                    const ids = [...selection.selected.keys()];
                    void download(ids, () => draftsArchive(ids), "documents.zip");
                  }}
                  onChange={(what, name) => void changeSelected(what, name)}
                  onNewTag={() => show({ action: "tag" })}
                  onAction={act}
                />
              )}
              {drafts?.length === 0 && !found.isPlaceholderData && (
                <NothingFound
                  templates={view === "templates" && search === "" && tag === undefined}
                  search={search}
                  onShowAll={() => void navigate({ to: "/documents", replace: true })}
                />
              )}
            </>
          )}
        </div>
      )}
      {importing}
      {dialog && dialogOf(dialog)}
    </>
  );
}

interface NothingFoundProps {
  /** There are no templates at all. */
  templates: boolean;
  search: string;
  onShowAll: () => void;
}

function NothingFound({ templates, search, onShowAll }: NothingFoundProps) {
  const action = (
    <Button onClick={onShowAll}>
      <Trans>Show all</Trans>
    </Button>
  );
  if (templates) {
    return (
      <EmptyState icon={<FileText aria-hidden />} title={t`No templates yet`} action={action}>
        <Trans>
          Open the menu of a document and select “Use as template”. You can then start new documents from it.
        </Trans>
      </EmptyState>
    );
  }
  const title = search === "" ? t`No documents match these filters` : t`No documents match “${search}”`;
  return (
    <EmptyState icon={<SearchX aria-hidden />} title={title} action={action}>
      <Trans>Search looks at document names only.</Trans>
    </EmptyState>
  );
}

function totalsText(count: number, bytes: number): string {
  const size = sizeText(bytes);
  return plural(count, { one: `# document, ${size}.`, other: `# documents, ${size}.` });
}

function announceSelected(count: number): void {
  announce(
    count === 0
      ? t`No documents selected`
      : plural(count, { one: "# document selected", other: "# documents selected" }),
  );
}
