import { t } from "@lingui/core/macro";
import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Inbox } from "lucide-react";
import { receivedQuery } from "@/api/received";
import { usePagedRows } from "@/components/paged-rows";
import { SearchField } from "@/components/SearchField";
import { BY_NAME, LARGEST, LATEST, OLDEST, SortSelect, sortOf } from "@/components/SortSelect";
import { Button } from "@/components/ui/Button";
import { EmptyState } from "@/components/ui/EmptyState";
import { PeerFilter } from "@/features/transfers/FilterSelects";
import { startOfDay } from "@/lib/times";
import { withoutEmpty } from "@/lib/without-empty";
import { FilteredTable } from "./FilteredTable";
import { receivedFilters } from "./filters";
import { IncompleteDocuments } from "./IncompleteDocuments";
import { PersonFilter } from "./PersonFilter";
import { RECEIVED_COLUMNS } from "./received-columns";
import { SinceFilter } from "./SinceFilter";

const route = getRouteApi("/in/admin/transfers");
type Filter = "search" | "peer" | "recipient" | "since" | "sort" | "transfer";

const SORTS = [
  LATEST,
  OLDEST,
  BY_NAME,
  { value: "peer", label: t`By peer`, asked: { sort: "peer", descending: false } },
  LARGEST,
] as const;

/** What peers delivered to this gateway, and what arrived only in part. */
export function ReceivedTransfers() {
  const { search, peer, recipient, ...asked } = route.useSearch();
  const sort = sortOf(SORTS, asked.sort);
  const since = startOfDay(asked.since);
  const navigate = route.useNavigate();
  const wanted = receivedFilters({ search, peer, recipient, ...asked });
  const filtered = Object.keys(wanted).length > 0;
  const found = usePagedRows(useInfiniteQuery(receivedQuery({ ...wanted, ...sort.asked })));
  const filter = (change: Partial<Record<Filter, string | undefined>>) =>
    void navigate({ search: (before) => withoutEmpty({ ...before, ...change }), replace: true });

  return (
    <div className="flex flex-col gap-3">
      {wanted.transfer ? (
        <p className="flex flex-wrap items-center gap-x-3 gap-y-2 text-sm">
          {t`Only the document of one transfer is listed.`}
          <Button size="sm" onClick={() => filter({ transfer: undefined })}>{t`Show all received documents`}</Button>
        </p>
      ) : (
        <IncompleteDocuments />
      )}
      <FilteredTable
        found={found}
        filtered={filtered}
        filters={
          <>
            <SearchField
              label={t`Search by document or sender`}
              value={search ?? ""}
              onSearch={(text) => filter({ search: text })}
            />
            <PeerFilter value={peer} onValueChange={(value) => filter({ peer: value })} />
            <SortSelect sorts={SORTS} sort={sort} onSort={(sort) => filter({ sort })} className="w-full sm:w-36" />
            <PersonFilter who="recipient" value={recipient} onValueChange={(value) => filter({ recipient: value })} />
            <SinceFilter value={since ? (asked.since ?? "") : ""} onValueChange={(value) => filter({ since: value })} />
          </>
        }
        columns={RECEIVED_COLUMNS}
        caption={t`Received documents`}
        what={t`the received documents`}
        loading={t`Loading the received documents`}
        noMatch={t`No documents match these filters`}
        onClear={() => void navigate({ search: { view: "received" }, replace: true })}
        empty={
          <EmptyState icon={<Inbox aria-hidden />} title={t`Nothing received yet`}>
            {t`Documents appear here once a peer delivers them to people at this gateway.`}
          </EmptyState>
        }
      />
    </div>
  );
}
