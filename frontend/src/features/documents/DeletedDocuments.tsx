import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { EllipsisVertical, RotateCcw, SearchX, Trash2 } from "lucide-react";
import { useState } from "react";
import { deleteDraft, draftsQuery, restoreDraft } from "@/api/drafts";
import type { DraftShown } from "@/api/types";
import { PagedError, usePagedRows } from "@/components/paged-rows";
import { Bytes } from "@/components/ui/Bytes";
import { ConfirmDialog } from "@/components/ui/ConfirmDialog";
import { EmptyState } from "@/components/ui/EmptyState";
import { IconButton } from "@/components/ui/IconButton";
import { Menu, MenuItem, MenuSeparator } from "@/components/ui/Menu";
import { RelativeTime } from "@/components/ui/RelativeTime";
import { DENSE_TITLE, type RowColumn, RowList, RowListSkeleton, RowTitle } from "@/components/ui/RowList";
import { toast, toastError } from "@/components/ui/toasts";
import { ClassifiedShare } from "./ClassifiedShare";
import { shortName } from "./document-name";

/** The documents that their author deleted and can still restore. */
export function DeletedDocuments({ search }: { search: string }) {
  const client = useQueryClient();
  const found = usePagedRows(useInfiniteQuery(draftsQuery({ ...(search && { search }), deleted: true })));
  const [removing, setRemoving] = useState<DraftShown | null>(null);
  const reload = () => client.invalidateQueries({ queryKey: ["drafts"] });
  const removal = useMutation({
    mutationFn: (draft: DraftShown) => deleteDraft(draft.id, true),
    onSuccess: async (_, draft) => {
      setRemoving(null);
      toast(t`Deleted forever`, draft.name);
      await reload();
    },
  });
  const restore = (draft: DraftShown) =>
    restoreDraft(draft.id).then(
      () => {
        toast(t`Restored`, draft.name);
        return reload();
      },
      (error: unknown) => toastError(t`“${{ name: draft.name }}” was not restored.`, error),
    );

  if (found.isPending) return <RowListSkeleton dense label={t`Loading the documents`} columns={COLUMNS} />;
  return (
    <>
      <PagedError found={found} what={t`your deleted documents`} />
      {found.rows && found.rows.length > 0 && (
        <>
          <p className="text-quiet text-sm">
            <Trans>Restore a document to work on it. Until it is removed, it takes up space on the gateway.</Trans>
          </p>
          <RowList
            dense
            aria-label={t`Deleted documents`}
            columns={[...COLUMNS, actions((draft) => void restore(draft), setRemoving)]}
            rows={found.rows}
            stale={found.isPlaceholderData}
            footer={found.more}
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
        title={t`Delete this document forever?`}
        confirm={t`Delete forever`}
        action={removal}
        onConfirm={() => removing && removal.mutate(removing)}
      >
        <p className="wrap-anywhere">
          {removing && t`“${{ name: removing.name }}” will be gone from this gateway. This can’t be undone.`}
        </p>
        {removing?.last_transfer && (
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
    cell: (draft) => <ClassifiedShare dense draft={draft} />,
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

function actions(onRestore: (draft: DraftShown) => void, onRemove: (draft: DraftShown) => void): RowColumn<DraftShown> {
  return {
    id: "actions",
    header: t`Actions`,
    width: "auto",
    side: "end",
    className: "-mr-2 max-md:-mt-1.5 md:-my-1",
    cell: (draft) => (
      <Menu
        trigger={
          <IconButton
            label={t`Actions for ${{ name: shortName(draft.name) }}`}
            icon={<EllipsisVertical />}
            size="sm"
            className="md:h-6 pointer-coarse:md:h-11"
          />
        }
      >
        <MenuItem icon={<RotateCcw aria-hidden />} onClick={() => onRestore(draft)}>
          <Trans>Restore</Trans>
        </MenuItem>
        <MenuSeparator />
        <MenuItem icon={<Trash2 aria-hidden />} tone="danger" onClick={() => onRemove(draft)}>
          <Trans>Delete forever</Trans>
        </MenuItem>
      </Menu>
    ),
  };
}
