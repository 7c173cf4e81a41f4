import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { RotateCcw, SearchX, Trash2 } from "lucide-react";
import { useState } from "react";
import { changeDrafts, draftCountsQuery, draftIds, draftsQuery } from "@/api/drafts";
import { gatewayQuery } from "@/api/gateway";
import type { DraftShown } from "@/api/types";
import { KeptUntil } from "@/components/KeptUntil";
import { ListSelectionBar } from "@/components/ListSelectionBar";
import { focusHeading } from "@/components/page-heading";
import { PagedError, usePagedRows } from "@/components/paged-rows";
import { SelectableRowList } from "@/components/SelectableRowList";
import { deselect, NOTHING_SELECTED, type Selection, toggleAll } from "@/components/selection";
import { Bytes } from "@/components/ui/Bytes";
import { ConfirmDialog } from "@/components/ui/ConfirmDialog";
import { EmptyState } from "@/components/ui/EmptyState";
import { MenuItem, MenuSeparator } from "@/components/ui/Menu";
import { RelativeTime } from "@/components/ui/RelativeTime";
import { DENSE_TITLE, type RowColumn, RowListSkeleton, RowTitle } from "@/components/ui/RowList";
import { RowMenu } from "@/components/ui/RowMenu";
import { toastError } from "@/components/ui/toasts";
import { useListChanges } from "@/components/use-list-changes";
import { useSelection } from "@/components/use-selection";
import { shortName } from "@/lib/document-name";
import { ClassifiedShare } from "./ClassifiedShare";

const DAY_MS = 24 * 3600 * 1000;

/** The documents that their author deleted and can still restore. */
export function DeletedDocuments({ search }: { search: string }) {
  const filter = { ...(search && { search }), deleted: true };
  const found = usePagedRows(useInfiniteQuery(draftsQuery(filter)));
  const matching = useQuery(draftCountsQuery(filter)).data?.drafts ?? null;
  const deletedDays = useQuery(gatewayQuery).data?.deleted_days;
  const { change, busy } = useListChanges({ queryKey: "drafts", send: changeDrafts });
  const [selection, setSelection] = useSelection(search);
  const [removing, setRemoving] = useState<{ ids: readonly string[]; draft?: DraftShown } | null>(null);
  const chosen = [...selection.selected.keys()];
  const act = async (ids: readonly string[], what: "restore" | "delete forever", name?: string) => {
    const changed = await change(ids, what, name === undefined ? {} : { name });
    if (!changed) return;
    setSelection((now) => ids.reduce((rest, id) => deselect(rest, id), now));
    // The button that had the focus is gone with the row or the selection.
    if (document.activeElement === document.body) focusHeading();
  };
  const chooseAll = async () => {
    try {
      const ids = await draftIds(filter);
      setSelection({ selected: new Map(ids.map((id) => [id, { id }])), last: null });
    } catch (error) {
      toastError(t`Could not choose all documents.`, error);
    }
  };

  if (found.isPending) return <RowListSkeleton dense label={t`Loading the documents`} columns={COLUMNS} />;
  const rows = found.rows ?? [];
  return (
    <>
      <PagedError found={found} what={t`your deleted documents`} />
      {rows.length > 0 && (
        <>
          <p className="text-quiet text-sm">
            <Trans>Restore a document to work on it. Until it is removed, it takes up space on the gateway.</Trans>
          </p>
          <SelectableRowList
            aria-label={t`Deleted documents`}
            columns={[
              ...COLUMNS,
              ...(deletedDays === undefined ? [] : [keptColumn(deletedDays)]),
              actions(
                (draft) => void act([draft.id], "restore", draft.name),
                (draft) => setRemoving({ ids: [draft.id], draft }),
              ),
            ]}
            rows={rows}
            nameOf={({ name }) => shortName(name)}
            selection={selection as Selection<DraftShown>}
            onSelection={setSelection}
            stale={found.isPlaceholderData}
            more={found.more}
            bar={
              <ListSelectionBar
                here={rows.filter(({ id }) => selection.selected.has(id)).length}
                shown={rows.length}
                selected={selection.selected.size}
                matching={matching}
                busy={busy}
                onAll={(on) => setSelection(toggleAll(selection, rows, on))}
                onAllMatching={() => void chooseAll()}
                onClear={() => setSelection(NOTHING_SELECTED)}
                actions={[
                  {
                    label: t`Restore`,
                    icon: <RotateCcw aria-hidden />,
                    onClick: () => void act(chosen, "restore"),
                  },
                  {
                    label: t`Delete forever`,
                    icon: <Trash2 aria-hidden />,
                    tone: "danger",
                    onClick: () => setRemoving({ ids: chosen }),
                  },
                ]}
              />
            }
          />
        </>
      )}
      {found.rows?.length === 0 && (
        <EmptyState
          icon={search ? <SearchX aria-hidden /> : <Trash2 aria-hidden />}
          title={search ? t`No deleted documents match “${search}”` : t`No deleted documents`}
        >
          <Trans>Documents that you delete stay here for some days, and you can restore them.</Trans>
        </EmptyState>
      )}
      <ConfirmDialog
        open={removing !== null}
        onClose={() => setRemoving(null)}
        title={
          removing?.draft
            ? t`Delete this document forever?`
            : t`Delete ${plural(removing?.ids.length ?? 0, { one: "# document", other: "# documents" })} forever?`
        }
        confirm={t`Delete forever`}
        onConfirm={() => {
          if (!removing) return;
          setRemoving(null);
          // "delete forever" is the name of an action, not a text.
          void act(removing.ids, "delete forever", removing.draft?.name);
        }}
      >
        <p className="wrap-anywhere">
          {removing?.draft
            ? t`“${{ name: removing.draft.name }}” will be gone from this gateway. This can’t be undone.`
            : t`They will be gone from this gateway. This can’t be undone.`}
        </p>
        {removing && removing.draft?.last_transfer !== null && (
          <p className="mt-2">
            <Trans>Recipients keep the copies they received.</Trans>
          </p>
        )}
      </ConfirmDialog>
    </>
  );
}

const COLUMNS: readonly RowColumn<DraftShown>[] = [
  {
    id: "document",
    header: t`Document`,
    names: true,
    width: "minmax(0,1fr)",
    cell: ({ name }) => (
      <RowTitle className={DENSE_TITLE}>
        <span title={name}>{name}</span>
      </RowTitle>
    ),
  },
  {
    id: "share",
    header: t`Classified`,
    width: "12rem",
    className: "max-w-80",
    cell: (draft) => <ClassifiedShare draft={draft} />,
  },
  {
    id: "size",
    header: t`Size`,
    width: "5.5rem",
    fact: "unnamed",
    className: "text-sm md:text-right",
    cell: ({ document_bytes }) => <Bytes value={document_bytes} />,
  },
  {
    id: "deleted",
    header: t`Deleted`,
    width: "7rem",
    fact: "named",
    className: "text-sm",
    cell: ({ deleted_at }) => deleted_at && <RelativeTime at={deleted_at} />,
  },
];

/** When the gateway deletes a document for good. */
function keptColumn(days: number): RowColumn<DraftShown> {
  return {
    id: "kept",
    header: t`Kept until`,
    width: "13.5rem",
    cell: ({ deleted_at }) => deleted_at && <KeptUntil at={keptUntil(deleted_at, days)} className="text-sm" />,
  };
}

const keptUntil = (deletedAt: string, days: number) => new Date(Date.parse(deletedAt) + days * DAY_MS).toISOString();

function actions(onRestore: (draft: DraftShown) => void, onRemove: (draft: DraftShown) => void): RowColumn<DraftShown> {
  return {
    id: "actions",
    header: t`Actions`,
    width: "auto",
    side: "end",
    className: "-mr-2 max-md:-mt-1.5 md:-my-1",
    cell: (draft) => (
      <RowMenu name={shortName(draft.name)}>
        <MenuItem icon={<RotateCcw aria-hidden />} onClick={() => onRestore(draft)}>
          <Trans>Restore</Trans>
        </MenuItem>
        <MenuSeparator />
        <MenuItem icon={<Trash2 aria-hidden />} tone="danger" onClick={() => onRemove(draft)}>
          <Trans>Delete forever</Trans>
        </MenuItem>
      </RowMenu>
    ),
  };
}
