import { getRouteApi, Link } from "@tanstack/react-router";
import { SearchX, Send } from "lucide-react";
import { useLiveState } from "@/app/live";
import { useSession } from "@/app/session";
import { PagedError } from "@/components/paged-rows";
import { SearchField } from "@/components/SearchField";
import { Button, buttonClass } from "@/components/ui/Button";
import { EmptyState } from "@/components/ui/EmptyState";
import { PageHeader } from "@/components/ui/PageHeader";
import { RowList, RowListSkeleton } from "@/components/ui/RowList";
import { withoutEmpty } from "@/lib/without-empty";
import { PeerFilter, StateFilter } from "./FilterSelects";
import { asState } from "./phase";
import { SENT_COLUMNS } from "./transfer-columns";
import { useTransfers } from "./use-transfers";

const route = getRouteApi("/in/sent");
/** Without events. */
const POLL_MS = 10_000;

/** An author's transfers, latest first, with live progress. */
export function SentPage() {
  const { search, peer, ...asked } = route.useSearch();
  const state = asState(asked.state);
  const navigate = route.useNavigate();
  const { person } = useSession();
  const live = useLiveState() === "live";
  const wanted = withoutEmpty({ search, state, peer });
  // An admin would get the transfers of all authors.
  const found = useTransfers(
    { ...wanted, ...(person.is_admin && { author: person.name }) },
    {
      filtered: Object.keys(wanted).length > 0,
      pollMs: live ? false : POLL_MS,
    },
  );
  const { rows: transfers } = found;
  const filtered = Object.keys(wanted).length > 0;
  const none = transfers?.length === 0 && !filtered && !found.isPlaceholderData;
  const filter = (change: Partial<Record<"search" | "state" | "peer", string | undefined>>) =>
    void navigate({ search: (before) => withoutEmpty({ ...before, ...change }), replace: true });

  return (
    <>
      <PageHeader title="Sent">{!none && "Documents you have sent, and their status."}</PageHeader>
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
        <div className="flex flex-col gap-4">
          <div className="grid grid-cols-2 gap-2 *:first:col-span-2 sm:flex sm:flex-wrap">
            <SearchField label="Search by name" value={search ?? ""} onSearch={(text) => filter({ search: text })} />
            <StateFilter value={state} onValueChange={(value) => filter({ state: value })} />
            <PeerFilter value={peer} onValueChange={(value) => filter({ peer: value })} />
          </div>
          <PagedError found={found} what="sent documents" />
          {found.isPending && <RowListSkeleton label="Loading the transfers" columns={SENT_COLUMNS} />}
          {transfers && transfers.length > 0 && (
            <RowList
              aria-label="Transfers"
              columns={SENT_COLUMNS}
              rows={transfers}
              stale={found.isPlaceholderData}
              footer={found.more}
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
    </>
  );
}
