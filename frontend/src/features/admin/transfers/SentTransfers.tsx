import { t } from "@lingui/core/macro";
import { getRouteApi } from "@tanstack/react-router";
import { ArrowLeftRight } from "lucide-react";
import { SearchField } from "@/components/SearchField";
import { SortSelect, sortOf } from "@/components/SortSelect";
import { EmptyState } from "@/components/ui/EmptyState";
import { PeerFilter, StateFilter } from "@/features/transfers/FilterSelects";
import { SENT_SORTS } from "@/features/transfers/sent-sorts";
import { ALL_COLUMNS } from "@/features/transfers/transfer-columns";
import { useTransfers } from "@/features/transfers/use-transfers";
import { startOfDay } from "@/lib/times";
import { withoutEmpty } from "@/lib/without-empty";
import { FilteredTable } from "./FilteredTable";
import { sentFilters } from "./filters";
import { PersonFilter } from "./PersonFilter";
import { SinceFilter } from "./SinceFilter";

const route = getRouteApi("/in/admin/transfers");
/** Admins get no events for the transfers of others. */
const POLL_MS = 10_000;
type Filter = "search" | "state" | "peer" | "author" | "since" | "sort";

/** What the authors of this gateway sent. */
export function SentTransfers() {
  const { search, peer, author, ...asked } = route.useSearch();
  const wanted = sentFilters({ search, peer, author, ...asked });
  const { state } = wanted;
  const sort = sortOf(SENT_SORTS, asked.sort);
  const since = startOfDay(asked.since);
  const navigate = route.useNavigate();
  const filtered = Object.keys(wanted).length > 0;
  const found = useTransfers({ ...wanted, ...sort.asked }, { filtered, pollMs: POLL_MS });
  const filter = (change: Partial<Record<Filter, string | undefined>>) =>
    void navigate({ search: (before) => withoutEmpty({ ...before, ...change }), replace: true });

  return (
    <div className="flex flex-col gap-3">
      <FilteredTable
        found={found}
        filtered={filtered}
        filters={
          <>
            <SearchField
              label={t`Search by document name`}
              value={search ?? ""}
              onSearch={(text) => filter({ search: text })}
            />
            <StateFilter value={state} onValueChange={(value) => filter({ state: value })} />
            <PeerFilter value={peer} onValueChange={(value) => filter({ peer: value })} />
            <PersonFilter who="author" value={author} onValueChange={(value) => filter({ author: value })} />
            <SinceFilter value={since ? (asked.since ?? "") : ""} onValueChange={(value) => filter({ since: value })} />
            <SortSelect sorts={SENT_SORTS} sort={sort} onSort={(sort) => filter({ sort })} className="w-full sm:w-36" />
          </>
        }
        columns={ALL_COLUMNS}
        caption={t`Transfers`}
        what={t`the transfers`}
        loading={t`Loading the transfers`}
        noMatch={t`No transfers match these filters`}
        onClear={() => void navigate({ search: {}, replace: true })}
        empty={
          <EmptyState icon={<ArrowLeftRight aria-hidden />} title={t`No transfers yet`}>
            {t`Transfers and their timings appear here once an author sends a document.`}
          </EmptyState>
        }
      />
    </div>
  );
}
