import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { FileUp, SearchX, SquarePen, Trash2 } from "lucide-react";
import { useRef, useState } from "react";
import { createDraft, deleteDraft, draftCountsQuery, draftQuery, draftsQuery, restoreDraft } from "@/api/drafts";
import type { DraftShown } from "@/api/types";
import { announce } from "@/components/announce";
import { focusHeading } from "@/components/page-heading";
import { PagedError, useAnnouncedCount, usePagedRows } from "@/components/paged-rows";
import { SearchField } from "@/components/SearchField";
import { deselect, NOTHING_SELECTED, type Selection, selectedRows } from "@/components/selection";
import { Button } from "@/components/ui/Button";
import { EmptyState } from "@/components/ui/EmptyState";
import { PageHeader } from "@/components/ui/PageHeader";
import { RowListSkeleton } from "@/components/ui/RowList";
import { SegmentedControl } from "@/components/ui/SegmentedControl";
import { toast, toastError } from "@/components/ui/toasts";
import { LazySendDialog } from "@/features/transfers/LazySendDialog";
import { mediaTypeOf } from "@/lib/media-types";
import { countText } from "@/lib/prose";
import { withoutEmpty } from "@/lib/without-empty";
import { DeletedDocuments } from "./DeletedDocuments";
import { RenameDialog } from "./DocumentDialogs";
import { DocumentList } from "./DocumentList";
import type { DocumentAction } from "./DocumentRowMenu";
import { DOCUMENT_COLUMNS } from "./document-columns";
import { withEnding } from "./document-name";
import { downloadDraft } from "./download";
import { FirstSteps } from "./FirstSteps";
import { DropTarget } from "./import/DropTarget";
import { ImportDialog } from "./import/ImportDialog";
import { useFileDrop } from "./import/use-file-drop";
import { useImportQueue } from "./import/use-import-queue";
import { NameDialog } from "./NameDialog";

const route = getRouteApi("/in/documents");

/** A dialog of this page, and the document that it is about. */
type DialogAsked = { action: "new" | "send" } | { action: "rename"; draft: DraftShown };

const VIEWS = [
  { value: "all", label: "All" },
  { value: "deleted", label: "Deleted" },
] as const;

/** An author's documents, and buttons that create and import more. */
export function DocumentsPage() {
  const { search = "", ...asked } = route.useSearch();
  const deleted = asked.view === "deleted";
  const navigate = useNavigate();
  const client = useQueryClient();
  const found = usePagedRows(useInfiniteQuery(draftsQuery(search)));
  const { rows: drafts } = found;
  const [dialog, setDialog] = useState<{ asked: DialogAsked; open: boolean; turn: number } | null>(null);
  const [selection, setSelection] = useState<Selection<DraftShown>>(NOTHING_SELECTED);
  const selected = selectedRows(selection, drafts ?? []);
  const queue = useImportQueue();
  const chooser = useRef<HTMLInputElement>(null);
  const replacing = useRef(false);
  const over = useFileDrop(queue.add);
  useAnnouncedCount("document", found.isPlaceholderData ? "" : search, drafts?.length, found.hasNextPage);

  const openDraft = (draft: DraftShown) => {
    client.setQueryData(draftQuery(draft.id).queryKey, draft);
    void client.invalidateQueries({ queryKey: ["drafts", "list"] });
    void navigate({ to: "/documents/$id", params: { id: draft.id } });
  };
  const imported = (draft: DraftShown) => {
    if (queue.count === 1) {
      queue.close();
      openDraft(draft);
      return;
    }
    void client.invalidateQueries({ queryKey: ["drafts", "list"] });
    if (queue.number === queue.count) toast(`${queue.imported.length + 1} of ${queue.count} files imported`);
    queue.next(draft.name);
  };
  const choose = (instead: boolean) => {
    replacing.current = instead;
    chooser.current?.click();
  };
  const take = (files: File[]) => {
    const [first, ...more] = files;
    if (!first) return;
    if (!replacing.current) queue.add(files);
    else {
      queue.replace(first);
      queue.add(more);
    }
  };
  const show = (asked: DialogAsked) => setDialog((before) => ({ asked, open: true, turn: (before?.turn ?? 0) + 1 }));
  const restore = (draft: DraftShown) =>
    restoreDraft(draft.id)
      .then(() => client.invalidateQueries({ queryKey: ["drafts"] }))
      .catch((error: unknown) => toastError(`“${draft.name}” was not restored.`, error));
  const remove = async (draft: DraftShown) => {
    try {
      await deleteDraft(draft.id);
    } catch (error) {
      toastError(`“${draft.name}” was not deleted.`, error);
      return;
    }
    setSelection((now) => deselect(now, draft.id));
    toast("Deleted", draft.name, { label: "Undo", onAction: () => void restore(draft) });
    await client.invalidateQueries({ queryKey: ["drafts"] });
    // The row's menu, which had the focus, is gone.
    if (document.activeElement === document.body) focusHeading();
  };
  const act = (action: DocumentAction, draft: DraftShown) => {
    if (action === "rename") show({ action, draft });
    else if (action === "delete") void remove(draft);
    else downloadDraft(draft).catch((error) => toastError(`“${draft.name}” was not downloaded.`, error));
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
            title="New document"
            first=""
            confirm="Create"
            hint="End it in .md for Markdown. Without an ending, it gets .txt."
            onName={async (typed) => {
              const name = withEnding(typed);
              openDraft(await createDraft(name, mediaTypeOf({ name, type: "" }, true), "literal", ""));
            }}
          />
        );
      case "rename":
        return <RenameDialog key={turn} {...shown} draft={latest(asked.draft)} />;
      case "send":
        return (
          selected.length > 0 && (
            <LazySendDialog
              key={turn}
              {...shown}
              drafts={selected}
              onLeaveOut={(draft) => setSelection(deselect(selection, draft.id))}
            />
          )
        );
    }
  };
  const start = (
    <>
      <Button icon={<FileUp />} onClick={() => choose(false)}>
        Import
      </Button>
      <Button tone="primary" icon={<SquarePen />} onClick={() => show({ action: "new" })}>
        New document
      </Button>
    </>
  );
  const none = !deleted && drafts?.length === 0 && search === "" && !found.isPlaceholderData;
  const total = useQuery(draftCountsQuery("")).data?.drafts;
  const inTrash = useQuery({ ...draftCountsQuery("", true), enabled: none }).data?.drafts ?? 0;
  const showView = (next: { search?: string; view?: string | undefined }) =>
    void navigate({
      to: "/documents",
      search: (before) => {
        const { search, view } = { ...before, ...next };
        return withoutEmpty({ search, view: view === "deleted" ? view : undefined });
      },
      replace: true,
    });

  return (
    <>
      <PageHeader dense={!none} title="Documents" actions={none ? undefined : start} actionsAwaited={found.isPending}>
        {!none && (
          <>
            {total !== undefined && `${countText(total, "document", "documents")}. `}
            Only you can see them until you send them.
          </>
        )}
      </PageHeader>
      {none ? (
        <>
          <FirstSteps start={start} />
          {inTrash > 0 && (
            <Button className="mt-6" icon={<Trash2 />} onClick={() => showView({ view: "deleted" })}>
              Show {countText(inTrash, "deleted document", "deleted documents")}
            </Button>
          )}
        </>
      ) : (
        <div className="flex flex-col gap-3">
          <div className="flex flex-wrap items-center gap-2">
            <SearchField label="Search by name" value={search} onSearch={(text) => showView({ search: text })} />
            <SegmentedControl
              label="Show"
              value={deleted ? "deleted" : "all"}
              onValueChange={(view) => showView({ view })}
              segments={VIEWS}
            />
          </div>
          {deleted ? (
            <DeletedDocuments search={search} />
          ) : (
            <>
              <PagedError found={found} what="your documents" />
              {(found.isPending || (found.isPlaceholderData && drafts?.length === 0)) && (
                <RowListSkeleton dense label="Loading the documents" columns={DOCUMENT_COLUMNS} />
              )}
              {drafts && drafts.length > 0 && (
                <DocumentList
                  drafts={drafts}
                  stale={found.isPlaceholderData}
                  more={found.more}
                  selection={selection}
                  onSelection={(next) => {
                    setSelection(next);
                    announceSelected(next.selected.size);
                  }}
                  onSend={() => show({ action: "send" })}
                  onAction={act}
                />
              )}
              {drafts?.length === 0 && !found.isPlaceholderData && (
                <EmptyState
                  icon={<SearchX aria-hidden />}
                  title={`No documents match “${search}”`}
                  action={<Button onClick={() => void navigate({ to: "/documents", replace: true })}>Show all</Button>}
                >
                  Search looks at document names only.
                </EmptyState>
              )}
            </>
          )}
        </div>
      )}
      <input
        ref={chooser}
        type="file"
        multiple
        hidden
        aria-label="Files to import"
        onChange={({ target }) => {
          take([...(target.files ?? [])]);
          // Allows choosing the same file again after a correction.
          target.value = "";
        }}
      />
      {over && <DropTarget />}
      {queue.file && (
        <ImportDialog
          key={queue.turn}
          file={queue.file}
          open={queue.open}
          number={queue.number}
          count={queue.count}
          before={queue.imported.at(-1) ?? null}
          onImported={imported}
          onChooseAgain={() => choose(true)}
          onSkip={() => queue.next()}
          onClose={queue.close}
        />
      )}
      {dialog && dialogOf(dialog)}
    </>
  );
}

function announceSelected(count: number): void {
  announce(count === 1 ? "1 document selected" : `${count === 0 ? "No" : count} documents selected`);
}
