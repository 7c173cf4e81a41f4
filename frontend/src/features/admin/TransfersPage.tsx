import { getRouteApi } from "@tanstack/react-router";
import { ArrowLeftRight, SearchX } from "lucide-react";
import { PagedError } from "@/components/paged-rows";
import { SearchField } from "@/components/SearchField";
import { Button } from "@/components/ui/Button";
import { DataTable } from "@/components/ui/DataTable";
import { EmptyState } from "@/components/ui/EmptyState";
import { PageHeader } from "@/components/ui/PageHeader";
import { Skeleton } from "@/components/ui/Skeleton";
import { PeerFilter, StateFilter } from "@/features/transfers/FilterSelects";
import { asState } from "@/features/transfers/phase";
import { ALL_COLUMNS } from "@/features/transfers/transfer-columns";
import { useTransfers } from "@/features/transfers/use-transfers";
import { withoutEmpty } from "@/lib/without-empty";
import { AuthorFilter } from "./transfers/AuthorFilter";
import { SinceFilter } from "./transfers/SinceFilter";
import { startOfDay } from "./transfers/start-of-day";

const route = getRouteApi("/in/admin/transfers");
/** Admins get no events for the transfers of others. */
const POLL_MS = 10_000;

/** All transfers of this gateway, without the content of documents. */
export function TransfersPage() {
  const { search, peer, author, ...asked } = route.useSearch();
  const state = asState(asked.state);
  const since = startOfDay(asked.since);
  const navigate = route.useNavigate();
  const wanted = withoutEmpty({ search, state, peer, author, since: since?.toISOString() });
  const filtered = Object.keys(wanted).length > 0;
  const found = useTransfers(wanted, { filtered, pollMs: POLL_MS });
  const { rows: transfers } = found;
  const none = transfers?.length === 0 && !found.isPlaceholderData;
  const filter = (change: Partial<Record<"search" | "state" | "peer" | "author" | "since", string | undefined>>) =>
    void navigate({ search: (before) => withoutEmpty({ ...before, ...change }), replace: true });

  return (
    <>
      <PageHeader title="Transfers">
        All transfers from this gateway, and their status. Document content is not shown.
      </PageHeader>
      <div className="flex flex-col gap-4">
        {(filtered || !none) && (
          <div className="grid grid-cols-2 gap-2 *:first:col-span-2 sm:flex sm:flex-wrap">
            <SearchField
              label="Search by document name"
              value={search ?? ""}
              onSearch={(text) => filter({ search: text })}
            />
            <StateFilter value={state} onValueChange={(value) => filter({ state: value })} />
            <PeerFilter value={peer} onValueChange={(value) => filter({ peer: value })} />
            <AuthorFilter value={author} onValueChange={(value) => filter({ author: value })} />
            <SinceFilter value={since ? (asked.since ?? "") : ""} onValueChange={(value) => filter({ since: value })} />
          </div>
        )}
        <PagedError found={found} what="the transfers" />
        {found.isPending && <Skeleton lines={5} label="Loading the transfers" />}
        {transfers && transfers.length > 0 && (
          <DataTable
            caption="Transfers"
            columns={ALL_COLUMNS}
            rows={transfers}
            rowId={({ id }) => id}
            stale={found.isPlaceholderData}
            footer={found.more}
          />
        )}
        {none &&
          (filtered ? (
            <EmptyState
              icon={<SearchX aria-hidden />}
              title="No transfers match these filters"
              action={<Button onClick={() => void navigate({ search: {}, replace: true })}>Clear filters</Button>}
            >
              Remove a filter, or try a different name.
            </EmptyState>
          ) : (
            <EmptyState icon={<ArrowLeftRight aria-hidden />} title="No transfers yet">
              Transfers and their timings appear here once an author sends a document.
            </EmptyState>
          ))}
      </div>
    </>
  );
}
