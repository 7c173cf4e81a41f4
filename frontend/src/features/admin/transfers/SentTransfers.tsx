import { t } from "@lingui/core/macro";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { ArrowLeftRight, SearchX } from "lucide-react";
import { transferCountsQuery } from "@/api/transfers";
import { PagedError } from "@/components/paged-rows";
import { SearchField } from "@/components/SearchField";
import { Button } from "@/components/ui/Button";
import { DataTable } from "@/components/ui/DataTable";
import { EmptyState } from "@/components/ui/EmptyState";
import { Select } from "@/components/ui/Select";
import { Skeleton } from "@/components/ui/Skeleton";
import { PeerFilter, StateFilter } from "@/features/transfers/FilterSelects";
import { asState } from "@/features/transfers/phase";
import { ASKED, asSort, SORTS } from "@/features/transfers/sent-sorts";
import { ALL_COLUMNS } from "@/features/transfers/transfer-columns";
import { useTransfers } from "@/features/transfers/use-transfers";
import { startOfDay } from "@/lib/times";
import { withoutEmpty } from "@/lib/without-empty";
import { ListTotal } from "./ListTotal";
import { PersonFilter } from "./PersonFilter";
import { SinceFilter } from "./SinceFilter";

const route = getRouteApi("/in/admin/transfers");
/** Admins get no events for the transfers of others. */
const POLL_MS = 10_000;
type Filter = "search" | "state" | "peer" | "author" | "since" | "sort";

/** What the authors of this gateway sent. */
export function SentTransfers() {
  const { search, peer, author, ...asked } = route.useSearch();
  const state = asState(asked.state);
  const sort = asSort(asked.sort);
  const since = startOfDay(asked.since);
  const navigate = route.useNavigate();
  const wanted = withoutEmpty({ search, state, peer, author, since: since?.toISOString() });
  const filtered = Object.keys(wanted).length > 0;
  const found = useTransfers({ ...wanted, ...ASKED[sort] }, { filtered, pollMs: POLL_MS });
  const counts = useQuery(transferCountsQuery(wanted)).data;
  const { rows: transfers } = found;
  const none = transfers?.length === 0 && !found.isPlaceholderData;
  const filter = (change: Partial<Record<Filter, string | undefined>>) =>
    void navigate({ search: (before) => withoutEmpty({ ...before, ...change }), replace: true });

  return (
    <div className="flex flex-col gap-4">
      {(filtered || !none) && (
        <div className="grid grid-cols-2 gap-2 *:first:col-span-2 sm:flex sm:flex-wrap">
          <SearchField
            label={t`Search by document name`}
            value={search ?? ""}
            onSearch={(text) => filter({ search: text })}
          />
          <StateFilter value={state} onValueChange={(value) => filter({ state: value })} />
          <PeerFilter value={peer} onValueChange={(value) => filter({ peer: value })} />
          <PersonFilter who="author" value={author} onValueChange={(value) => filter({ author: value })} />
          <SinceFilter value={since ? (asked.since ?? "") : ""} onValueChange={(value) => filter({ since: value })} />
          <Select
            label={t`Sort by`}
            labelHidden
            className="w-full sm:w-36"
            value={sort}
            onValueChange={(value) => filter({ sort: value === "latest" ? undefined : value })}
            choices={SORTS}
          />
        </div>
      )}
      <PagedError found={found} what={t`the transfers`} />
      {found.isPending && <Skeleton lines={5} label={t`Loading the transfers`} />}
      {transfers && transfers.length > 0 && (
        <>
          {counts && <ListTotal documents={counts.transfers} bytes={counts.bytes} />}
          <DataTable
            caption={t`Transfers`}
            columns={ALL_COLUMNS}
            rows={transfers}
            rowId={({ id }) => id}
            stale={found.isPlaceholderData}
            footer={found.more}
          />
        </>
      )}
      {none &&
        (filtered ? (
          <EmptyState
            icon={<SearchX aria-hidden />}
            title={t`No transfers match these filters`}
            action={<Button onClick={() => void navigate({ search: {}, replace: true })}>{t`Clear filters`}</Button>}
          >
            {t`Remove a filter, or try a different name.`}
          </EmptyState>
        ) : (
          <EmptyState icon={<ArrowLeftRight aria-hidden />} title={t`No transfers yet`}>
            {t`Transfers and their timings appear here once an author sends a document.`}
          </EmptyState>
        ))}
    </div>
  );
}
