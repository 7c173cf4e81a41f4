import { t } from "@lingui/core/macro";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Ban, Download, RotateCcw, SearchX, Send } from "lucide-react";
import { useState } from "react";
import { changeTransfers, transferCountsQuery, transferIds, transfersArchive } from "@/api/transfers";
import type { TransferShown } from "@/api/types";
import { useLiveState } from "@/app/live";
import { useSession } from "@/app/session";
import { announce } from "@/components/announce";
import { ListSelectionBar } from "@/components/ListSelectionBar";
import { PagedError } from "@/components/paged-rows";
import { SearchField } from "@/components/SearchField";
import { SelectableRowList } from "@/components/SelectableRowList";
import { NOTHING_SELECTED, type Selection, toggleAll } from "@/components/selection";
import { Button, buttonClass } from "@/components/ui/Button";
import { ConfirmDialog } from "@/components/ui/ConfirmDialog";
import { EmptyState } from "@/components/ui/EmptyState";
import { PageHeader } from "@/components/ui/PageHeader";
import { RowListSkeleton } from "@/components/ui/RowList";
import { Select } from "@/components/ui/Select";
import { toastError } from "@/components/ui/toasts";
import { useListChanges } from "@/components/use-list-changes";
import { countText } from "@/lib/prose";
import { sizeText } from "@/lib/sizes";
import { withoutEmpty } from "@/lib/without-empty";
import { PeerFilter, StateFilter } from "./FilterSelects";
import { asState } from "./phase";
import { ASKED, asSort, SORTS } from "./sent-sorts";
import { SENT_COLUMNS } from "./transfer-columns";
import { useTransfers } from "./use-transfers";

const route = getRouteApi("/in/sent");
type Selected = Selection<{ id: string }>;

/** Without events. */
const POLL_MS = 10_000;

/** An author's transfers, latest first, with live progress. */
export function SentPage() {
  const { search, peer, ...asked } = route.useSearch();
  const state = asState(asked.state);
  const sort = asSort(asked.sort);
  const navigate = route.useNavigate();
  const { person } = useSession();
  const live = useLiveState() === "live";
  const wanted = withoutEmpty({ search, state, peer });
  // An admin would get the transfers of all authors.
  const mine = person.is_admin ? { author: person.name } : {};
  const filters = { ...wanted, ...mine };
  const found = useTransfers(
    { ...filters, ...ASKED[sort] },
    {
      filtered: Object.keys(wanted).length > 0,
      pollMs: live ? false : POLL_MS,
    },
  );
  const { rows: transfers } = found;
  const total = useQuery(transferCountsQuery(mine)).data;
  const matching = useQuery(transferCountsQuery(filters)).data?.transfers ?? null;
  const [selection, setSelection] = useState<Selected>(NOTHING_SELECTED);
  const { change, download, busy } = useListChanges({ queryKey: "transfers", send: changeTransfers });
  const [cancelling, setCancelling] = useState(false);
  const select = (next: Selected) => {
    setSelection(next);
    announce(countText(next.selected.size, "document selected", "documents selected"));
  };
  const chooseAll = async () => {
    try {
      const ids = await transferIds(filters);
      select({ selected: new Map(ids.map((id) => [id, { id }])), last: null });
    } catch (error) {
      toastError("Could not choose all documents.", error);
    }
  };
  const selected = [...selection.selected.keys()];
  const filtered = Object.keys(wanted).length > 0;
  const none = transfers?.length === 0 && !filtered && !found.isPlaceholderData;
  const filter = (change: Partial<Record<"search" | "state" | "peer" | "sort", string | undefined>>) =>
    void navigate({ search: (before) => withoutEmpty({ ...before, ...change }), replace: true });

  return (
    <>
      <PageHeader dense={!none} title="Sent">
        {!none && (
          <>
            {total && `${countText(total.transfers, "transfer", "transfers")}, ${sizeText(total.bytes)}. `}
            Documents you have sent, and their status.
          </>
        )}
      </PageHeader>
      {none ? (
        <EmptyState
          icon={<Send aria-hidden />}
          title="You have not sent anything yet"
          action={
            <Link to="/documents" className={buttonClass("primary")}>
              Open my documents
            </Link>
          }
        >
          Open a document, mark what is classified and select Send. Progress and receipts appear here.
        </EmptyState>
      ) : (
        <div className="flex flex-col gap-3">
          <div className="grid grid-cols-2 gap-2 *:first:col-span-2 sm:flex sm:flex-wrap">
            <SearchField label="Search by name" value={search ?? ""} onSearch={(text) => filter({ search: text })} />
            <StateFilter value={state} onValueChange={(value) => filter({ state: value })} />
            <PeerFilter value={peer} onValueChange={(value) => filter({ peer: value })} />
            <Select
              label="Sort by"
              labelHidden
              className="w-full sm:w-40"
              value={sort}
              onValueChange={(value) => filter({ sort: value === "latest" ? undefined : value })}
              choices={SORTS}
            />
          </div>
          <PagedError found={found} what="sent documents" />
          {found.isPending && <RowListSkeleton dense label="Loading the transfers" columns={SENT_COLUMNS} />}
          {transfers && transfers.length > 0 && (
            <SelectableRowList
              aria-label="Transfers"
              columns={SENT_COLUMNS}
              rows={transfers}
              nameOf={({ name }) => name}
              selection={selection as Selection<TransferShown>}
              onSelection={select}
              stale={found.isPlaceholderData}
              more={found.more}
              bar={
                (transfers.length > 1 || selected.length > 0) && (
                  <ListSelectionBar
                    here={transfers.filter(({ id }) => selection.selected.has(id)).length}
                    shown={transfers.length}
                    selected={selected.length}
                    matching={matching}
                    busy={busy}
                    onAll={(on) => select(toggleAll(selection as Selection<TransferShown>, transfers, on))}
                    onAllMatching={() => void chooseAll()}
                    onClear={() => select(NOTHING_SELECTED)}
                    actions={[
                      {
                        label: t`Download`,
                        icon: <Download aria-hidden />,
                        onClick: () => void download(selected, () => transfersArchive(selected), "sent.zip"),
                      },
                      {
                        label: "Retry now",
                        icon: <RotateCcw aria-hidden />,
                        onClick: () => void change(selected, "retry"),
                      },
                      {
                        label: "Cancel transfers",
                        icon: <Ban aria-hidden />,
                        tone: "danger",
                        onClick: () => setCancelling(true),
                      },
                    ]}
                  />
                )
              }
            />
          )}
          {transfers?.length === 0 && (
            <EmptyState
              icon={<SearchX aria-hidden />}
              title="No documents match these filters"
              action={<Button onClick={() => void navigate({ search: {}, replace: true })}>Clear filters</Button>}
            >
              Try a different name, state or peer.
            </EmptyState>
          )}
        </div>
      )}
      <ConfirmDialog
        open={cancelling}
        onClose={() => setCancelling(false)}
        title={selected.length === 1 ? "Cancel this transfer?" : `Cancel ${selected.length} transfers?`}
        confirm="Cancel transfers"
        onConfirm={() => {
          setCancelling(false);
          void change(selected, "cancel");
        }}
      >
        Only transfers that are waiting or being sent are cancelled. Documents that the peer already has stay there.
      </ConfirmDialog>
    </>
  );
}
