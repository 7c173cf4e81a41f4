import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { FileUp, SearchX, SquarePen } from "lucide-react";
import { useRef, useState } from "react";
import { createDraft, draftQuery, draftsQuery } from "@/api/drafts";
import type { DraftShown } from "@/api/types";
import { announce } from "@/components/announce";
import { focusHeading } from "@/components/page-heading";
import { PagedError, useAnnouncedCount, usePagedRows } from "@/components/paged-rows";
import { SearchField } from "@/components/SearchField";
import { Button } from "@/components/ui/Button";
import { EmptyState } from "@/components/ui/EmptyState";
import { PageHeader } from "@/components/ui/PageHeader";
import { RowListSkeleton } from "@/components/ui/RowList";
import { toast, toastError } from "@/components/ui/toasts";
import { LazySendDialog } from "@/features/transfers/LazySendDialog";
import { DeleteDialog, RenameDialog } from "./DocumentDialogs";
import { DocumentList } from "./DocumentList";
import type { DocumentAction } from "./DocumentRowMenu";
import { DOCUMENT_COLUMNS } from "./document-columns";
import { downloadDraft } from "./download";
import { FirstSteps } from "./FirstSteps";
import { DropTarget } from "./import/DropTarget";
import { ImportDialog } from "./import/ImportDialog";
import { useFileDrop } from "./import/use-file-drop";
import { useImportQueue } from "./import/use-import-queue";
import { NameDialog } from "./NameDialog";
import { deselect, NOTHING_SELECTED, selectedDrafts } from "./selection";

const route = getRouteApi("/in/documents");

/** A dialog of this page, and the document that it is about. */
type DialogAsked = { action: "new" | "send" } | { action: "rename" | "delete"; draft: DraftShown };

/** An author's documents, and buttons that create and import more. */
export function DocumentsPage() {
  const { search = "" } = route.useSearch();
  const navigate = useNavigate();
  const client = useQueryClient();
  const found = usePagedRows(useInfiniteQuery(draftsQuery(search)));
  const { rows: drafts } = found;
  const [dialog, setDialog] = useState<{ asked: DialogAsked; open: boolean; turn: number } | null>(null);
  const [selection, setSelection] = useState(NOTHING_SELECTED);
  const selected = selectedDrafts(selection, drafts ?? []);
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
  const act = (action: DocumentAction, draft: DraftShown) => {
    if (action !== "download") show({ action, draft });
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
            onName={async (name) => openDraft(await createDraft(name, "text/plain", "literal", ""))}
          />
        );
      case "rename":
        return <RenameDialog key={turn} {...shown} draft={latest(asked.draft)} />;
      case "delete":
        return (
          <DeleteDialog
            key={turn}
            {...shown}
            draft={latest(asked.draft)}
            onDeleted={(waited) => {
              setSelection((now) => deselect(now, asked.draft.id));
              if (waited || document.activeElement === document.body) focusHeading();
            }}
          />
        );
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
  const none = drafts?.length === 0 && search === "" && !found.isPlaceholderData;

  return (
    <>
      <PageHeader title="Documents" actions={none ? undefined : start} actionsAwaited={found.isPending}>
        {!none && "Only you can see your documents until you send them."}
      </PageHeader>
      {none ? (
        <FirstSteps start={start} />
      ) : (
        <div className="flex flex-col gap-4">
          <SearchField
            label="Search by name"
            value={search}
            onSearch={(text) =>
              void navigate({ to: "/documents", search: text ? { search: text } : {}, replace: true })
            }
          />
          <PagedError found={found} what="your documents" />
          {(found.isPending || (found.isPlaceholderData && drafts?.length === 0)) && (
            <RowListSkeleton label="Loading the documents" columns={DOCUMENT_COLUMNS} />
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
