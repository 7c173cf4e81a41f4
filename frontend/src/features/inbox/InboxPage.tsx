import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { SearchX } from "lucide-react";
import { inboxQuery } from "@/api/inbox";
import { PagedError, useAnnouncedCount, usePagedRows } from "@/components/paged-rows";
import { SearchField } from "@/components/SearchField";
import { Button } from "@/components/ui/Button";
import { EmptyState } from "@/components/ui/EmptyState";
import { PageHeader } from "@/components/ui/PageHeader";
import { RowList, RowListSkeleton } from "@/components/ui/RowList";
import { EmptyInbox } from "./EmptyInbox";
import { matches } from "./entry";
import { ENTRY_COLUMNS } from "./entry-columns";
import { useAnnounceArrivals } from "./use-announce-arrivals";

const route = getRouteApi("/in/inbox");

/** Received documents, latest first. New ones appear automatically. */
export function InboxPage() {
  const { search = "" } = route.useSearch();
  const navigate = useNavigate();
  const found = usePagedRows(useInfiniteQuery(inboxQuery), search ? "Search older documents" : undefined);
  const { rows: entries, more } = found;
  useAnnounceArrivals(entries);
  const matching = entries?.filter((entry) => matches(entry, search));
  useAnnouncedCount("document", search, matching?.length, false);
  const unread = entries?.filter(({ read_at }) => read_at === null).length ?? 0;

  return (
    <>
      <PageHeader title="Inbox">
        {/* Keeps the space of the line, so that nothing moves when its text appears. */}
        {found.isPending ? "\u00a0" : entries && entries.length > 0 && unreadText(unread, found.hasNextPage)}
      </PageHeader>
      {entries?.length === 0 ? (
        <EmptyInbox />
      ) : (
        <div className="flex flex-col gap-4">
          <SearchField
            label="Search by name, sender or gateway"
            value={search}
            onSearch={(text) => void navigate({ to: "/inbox", search: text ? { search: text } : {}, replace: true })}
          />
          <PagedError found={found} what="the inbox" />
          {found.isPending && <RowListSkeleton label="Loading the inbox" columns={ENTRY_COLUMNS} />}
          {matching && matching.length > 0 && (
            <RowList aria-label="Received documents" columns={ENTRY_COLUMNS} rows={matching} footer={more} />
          )}
          {entries && matching?.length === 0 && (
            <EmptyState
              icon={<SearchX aria-hidden />}
              title={`No documents match “${search}”`}
              action={
                <>
                  <Button onClick={() => void navigate({ to: "/inbox", replace: true })}>Show all</Button>
                  {more}
                </>
              }
            >
              {found.hasNextPage
                ? `Only the latest ${entries.length} documents were searched, by name, sender and gateway.`
                : "Search looks at names, senders and gateways."}
            </EmptyState>
          )}
        </div>
      )}
    </>
  );
}

function unreadText(unread: number, more: boolean): string {
  if (unread === 0) return more ? "None of the latest documents are unread." : "No unread documents.";
  return `${unread.toLocaleString("en")} unread${more ? " among the latest" : ""}.`;
}
