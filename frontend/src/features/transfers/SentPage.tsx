import { plural, t } from "@lingui/core/macro";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Ban, Download, RotateCcw, SearchX, Send } from "lucide-react";
import { useState } from "react";
import { changeTransfers, transferCountsQuery, transferIds, transfersArchive } from "@/api/transfers";
import type { TransferShown } from "@/api/types";
import { announce } from "@/components/announce";
import { ListSelectionBar } from "@/components/ListSelectionBar";
import { NothingYet, PagedError } from "@/components/paged-rows";
import { SearchField } from "@/components/SearchField";
import { SelectableRowList } from "@/components/SelectableRowList";
import { SortSelect, sortOf } from "@/components/SortSelect";
import { NOTHING_SELECTED, type Selection, toggleAll } from "@/components/selection";
import { Button, buttonClass } from "@/components/ui/Button";
import { ConfirmDialog } from "@/components/ui/ConfirmDialog";
import { EmptyState } from "@/components/ui/EmptyState";
import { PageHeader } from "@/components/ui/PageHeader";
import { RowListSkeleton } from "@/components/ui/RowList";
import { toastError } from "@/components/ui/toasts";
import { useListChanges } from "@/components/use-list-changes";
import { useSelection } from "@/components/use-selection";
import { numberText } from "@/lib/numbers";
import { sizeText } from "@/lib/sizes";
import { withoutEmpty } from "@/lib/without-empty";
import { useLiveState } from "@/session/live";
import { useSession } from "@/session/session";
import { PeerFilter, StateFilter } from "./FilterSelects";
import { asState } from "./phase";
import { SENT_SORTS } from "./sent-sorts";
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
  const sort = sortOf(SENT_SORTS, asked.sort);
  const navigate = route.useNavigate();
  const { person } = useSession();
  const live = useLiveState() === "live";
  const wanted = withoutEmpty({ search, state, peer });
  // An admin would get the transfers of all authors.
  const mine = person.is_admin ? { author: person.name } : {};
  const filters = { ...wanted, ...mine };
  const found = useTransfers(
    { ...filters, ...sort.asked },
    {
      filtered: Object.keys(wanted).length > 0,
      pollMs: live ? false : POLL_MS,
    },
  );
  const { rows: transfers } = found;
  const total = useQuery(transferCountsQuery(mine)).data;
  const counted = useQuery(transferCountsQuery(filters)).data;
  const matching = counted && !counted.more ? counted.transfers : null;
  const [selection, setSelection] = useSelection(JSON.stringify(wanted));
  const { change, download, busy } = useListChanges({ queryKey: "transfers", send: changeTransfers });
  const [cancelling, setCancelling] = useState(false);
  const select = (next: Selected) => {
    setSelection(next);
    announce(plural(next.selected.size, { one: "# document selected", other: "# documents selected" }));
  };
  const chooseAll = async () => {
    try {
      const ids = await transferIds(filters);
      select({ selected: new Map(ids.map((id) => [id, { id }])), last: null });
    } catch (error) {
      toastError(t`Could not choose all documents.`, error);
    }
  };
  const selected = [...selection.selected.keys()];
  const filtered = Object.keys(wanted).length > 0;
  const none = transfers?.length === 0 && !filtered && !found.isPlaceholderData;
  const filter = (change: Partial<Record<"search" | "state" | "peer" | "sort", string | undefined>>) =>
    void navigate({ search: (before) => withoutEmpty({ ...before, ...change }), replace: true });

  return (
    <>
      <PageHeader dense={!none} title={t`Sent`}>
        {!none && (
          <>
            {total && `${totalText(total.transfers, total.bytes)} `}
            {t`Documents you have sent, and their status.`}
          </>
        )}
      </PageHeader>
      {none ? (
        <EmptyState
          icon={<Send aria-hidden />}
          title={t`You have not sent anything yet`}
          action={<Link to="/documents" className={buttonClass("primary")}>{t`Open my documents`}</Link>}
        >{t`Open a document, mark what is classified and select Send. Progress and receipts appear here.`}</EmptyState>
      ) : (
        <div className="flex flex-col gap-3">
          <div className="grid grid-cols-2 gap-2 *:first:col-span-2 sm:flex sm:flex-wrap">
            <SearchField label={t`Search by name`} value={search ?? ""} onSearch={(text) => filter({ search: text })} />
            <StateFilter value={state} onValueChange={(value) => filter({ state: value })} />
            <PeerFilter value={peer} onValueChange={(value) => filter({ peer: value })} />
            <SortSelect sorts={SENT_SORTS} sort={sort} onSort={(sort) => filter({ sort })} className="w-full sm:w-40" />
          </div>
          <PagedError found={found} what={t`sent documents`} />
          {found.isPending && <RowListSkeleton dense label={t`Loading the transfers`} columns={SENT_COLUMNS} />}
          {transfers && transfers.length > 0 && (
            <SelectableRowList
              aria-label={t`Transfers`}
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
                        label: t`Retry now`,
                        icon: <RotateCcw aria-hidden />,
                        onClick: () => void change(selected, "retry"),
                      },
                      {
                        label: t`Cancel transfers`,
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
          {transfers?.length === 0 && found.more && <NothingYet more={found.more} />}
          {transfers?.length === 0 && !found.more && (
            <EmptyState
              icon={<SearchX aria-hidden />}
              title={t`No documents match these filters`}
              action={<Button onClick={() => void navigate({ search: {}, replace: true })}>{t`Clear filters`}</Button>}
            >{t`Try a different name, state or peer.`}</EmptyState>
          )}
        </div>
      )}
      <ConfirmDialog
        open={cancelling}
        onClose={() => setCancelling(false)}
        title={
          selected.length === 1
            ? t`Cancel this transfer?`
            : t`Cancel ${plural(selected.length, { one: "# transfer", other: "# transfers" })}?`
        }
        confirm={t`Cancel transfers`}
        onConfirm={() => {
          setCancelling(false);
          void change(selected, "cancel");
        }}
      >{t`Only transfers that are waiting or being sent are cancelled. Documents that the peer already has stay there.`}</ConfirmDialog>
    </>
  );
}

/** `bytes`: null of a list with more transfers than these. */
function totalText(transfers: number, bytes: number | null): string {
  if (bytes === null) {
    const most = numberText(transfers);
    return t`At least ${most} transfers.`;
  }
  return t`${plural(transfers, { one: "# transfer", other: "# transfers" })}, ${sizeText(bytes)}.`;
}
