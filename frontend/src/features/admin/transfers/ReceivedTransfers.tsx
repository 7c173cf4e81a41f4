import { t } from "@lingui/core/macro";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Inbox, SearchX } from "lucide-react";
import { type ReceivedFilters, receivedCountsQuery, receivedQuery } from "@/api/received";
import { PagedError, usePagedRows } from "@/components/paged-rows";
import { SearchField } from "@/components/SearchField";
import { Button } from "@/components/ui/Button";
import { DataTable } from "@/components/ui/DataTable";
import { EmptyState } from "@/components/ui/EmptyState";
import { Select } from "@/components/ui/Select";
import { Skeleton } from "@/components/ui/Skeleton";
import { PeerFilter } from "@/features/transfers/FilterSelects";
import { startOfDay } from "@/lib/times";
import { withoutEmpty } from "@/lib/without-empty";
import { IncompleteDocuments } from "./IncompleteDocuments";
import { ListTotal } from "./ListTotal";
import { PersonFilter } from "./PersonFilter";
import { RECEIVED_COLUMNS } from "./received-columns";
import { SinceFilter } from "./SinceFilter";

const route = getRouteApi("/in/admin/transfers");
type Filter = "search" | "peer" | "recipient" | "since" | "sort";

const SORTS = [
  { value: "latest", label: t`Latest first` },
  { value: "oldest", label: t`Oldest first` },
  { value: "name", label: t`By name` },
  { value: "peer", label: t`By peer` },
  { value: "size", label: t`Largest first` },
] as const;
type Sort = (typeof SORTS)[number]["value"];

const ASKED: Record<Sort, Pick<ReceivedFilters, "sort" | "descending">> = {
  latest: {},
  oldest: { descending: false },
  name: { sort: "name", descending: false },
  peer: { sort: "peer", descending: false },
  size: { sort: "size" },
};

/** What peers delivered to this gateway, and what arrived only in part. */
export function ReceivedTransfers() {
  const { search, peer, recipient, ...asked } = route.useSearch();
  const sort = SORTS.find(({ value }) => value === asked.sort)?.value ?? "latest";
  const since = startOfDay(asked.since);
  const navigate = route.useNavigate();
  const wanted = withoutEmpty({ search, peer, recipient, since: since?.toISOString() });
  const filtered = Object.keys(wanted).length > 0;
  const found = usePagedRows(useInfiniteQuery(receivedQuery({ ...wanted, ...ASKED[sort] })));
  const counts = useQuery(receivedCountsQuery(wanted)).data;
  const { rows: documents } = found;
  const none = documents?.length === 0 && !found.isPlaceholderData;
  const filter = (change: Partial<Record<Filter, string | undefined>>) =>
    void navigate({ search: (before) => withoutEmpty({ ...before, ...change }), replace: true });

  return (
    <div className="flex flex-col gap-4">
      <IncompleteDocuments />
      {(filtered || !none) && (
        <div className="grid grid-cols-2 gap-2 *:first:col-span-2 sm:flex sm:flex-wrap">
          <SearchField
            label={t`Search by document or sender`}
            value={search ?? ""}
            onSearch={(text) => filter({ search: text })}
          />
          <PeerFilter value={peer} onValueChange={(value) => filter({ peer: value })} />
          <Select
            label={t`Sort by`}
            labelHidden
            className="w-full sm:w-36"
            value={sort}
            onValueChange={(value) => filter({ sort: value === "latest" ? undefined : value })}
            choices={SORTS}
          />
          <PersonFilter who="recipient" value={recipient} onValueChange={(value) => filter({ recipient: value })} />
          <SinceFilter value={since ? (asked.since ?? "") : ""} onValueChange={(value) => filter({ since: value })} />
        </div>
      )}
      <PagedError found={found} what={t`the received documents`} />
      {found.isPending && <Skeleton lines={5} label={t`Loading the received documents`} />}
      {documents && documents.length > 0 && (
        <>
          {counts && <ListTotal documents={counts.documents} bytes={counts.bytes} />}
          <DataTable
            caption={t`Received documents`}
            columns={RECEIVED_COLUMNS}
            rows={documents}
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
            title={t`No documents match these filters`}
            action={
              <Button onClick={() => void navigate({ search: { view: "received" }, replace: true })}>
                {t`Clear filters`}
              </Button>
            }
          >
            {t`Remove a filter, or try a different name.`}
          </EmptyState>
        ) : (
          <EmptyState icon={<Inbox aria-hidden />} title={t`Nothing received yet`}>
            {t`Documents appear here once a peer delivers them to people at this gateway.`}
          </EmptyState>
        ))}
    </div>
  );
}
