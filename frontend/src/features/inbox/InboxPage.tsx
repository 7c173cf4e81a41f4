import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { SearchX } from "lucide-react";
import { useEffect, useMemo } from "react";
import { inboxQuery } from "@/api/inbox";
import { announce } from "@/components/announce";
import { SearchField } from "@/components/SearchField";
import { Button } from "@/components/ui/Button";
import { EmptyState } from "@/components/ui/EmptyState";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { PageHeader } from "@/components/ui/PageHeader";
import { EmptyInbox } from "./EmptyInbox";
import { EntryList, EntryListSkeleton } from "./EntryList";
import { matches } from "./entry";
import { useAnnounceArrivals } from "./use-announce-arrivals";

const route = getRouteApi("/in/inbox");

/** What a person received, the latest first. New documents appear by themselves. */
export function InboxPage() {
  const { search = "" } = route.useSearch();
  const navigate = useNavigate();
  const found = useInfiniteQuery(inboxQuery);
  // What arrives while pages are loaded moves the others, and one may be on two of them.
  const entries = useMemo(
    () =>
      found.data && [
        ...new Map(found.data.pages.flatMap(({ items }) => items).map((entry) => [entry.id, entry])).values(),
      ],
    [found.data],
  );
  useAnnounceArrivals(entries);
  const matching = entries?.filter((entry) => matches(entry, search));
  useAnnouncedCount(search, matching?.length ?? null);
  const unread = entries?.filter(({ read_at }) => read_at === null).length ?? 0;
  const more = found.hasNextPage && (
    <Button onClick={() => void found.fetchNextPage()} busy={found.isFetchingNextPage}>
      {search ? "Search older documents" : "Show more"}
    </Button>
  );

  return (
    <>
      <PageHeader title="Inbox">
        {/* Its line is there before its words, so that nothing below moves while it is pressed. */}
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
          {found.error && (
            <ErrorPanel
              title={entries ? "Could not update the inbox." : "Could not load the inbox."}
              problem={found.error}
              onRetry={() => void (found.isFetchNextPageError ? found.fetchNextPage() : found.refetch())}
            />
          )}
          {!entries && found.isPending && <EntryListSkeleton />}
          {matching && matching.length > 0 && <EntryList entries={matching} more={more} />}
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

/** Says how many a search has found. */
function useAnnouncedCount(search: string, count: number | null): void {
  useEffect(() => {
    if (search === "" || count === null) return;
    announce(count === 1 ? "1 document found" : `${count} documents found`);
  }, [search, count]);
}
