import { useInfiniteQuery, useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { BookCheck, ShieldCheck } from "lucide-react";
import { type AuditEntryShown, auditQuery, checkChain } from "@/api/audit";
import { Button } from "@/components/ui/Button";
import { type Column, DataTable } from "@/components/ui/DataTable";
import { EmptyState } from "@/components/ui/EmptyState";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { PageHeader } from "@/components/ui/PageHeader";
import { RelativeTime } from "@/components/ui/RelativeTime";
import { Skeleton } from "@/components/ui/Skeleton";
import { absoluteText } from "@/lib/times";
import { ChainCheck } from "./ChainCheck";
import { entryText } from "./entry-text";

const COLUMNS: readonly Column<AuditEntryShown>[] = [
  {
    id: "what",
    header: "Who did what",
    names: true,
    cell: (entry) => (
      <span className="wrap-anywhere font-normal">
        <span className="font-medium">{entry.actor}</span> {entryText(entry)} <SubjectLink entry={entry} />
      </span>
    ),
  },
  {
    id: "reason",
    header: "Why",
    className: "md:w-2/5",
    cell: ({ reason }) => <span className="wrap-anywhere whitespace-pre-line">{reason ?? "–"}</span>,
  },
  {
    id: "at",
    header: "When",
    className: "whitespace-nowrap",
    cell: ({ at }) => (
      <>
        {absoluteText(new Date(at))}
        <RelativeTime at={at} className="block text-quiet" />
      </>
    ),
  },
];

/** What people did here that others answer for, and why they said they did it. */
export function AuditPage() {
  const found = useInfiniteQuery(auditQuery);
  const check = useMutation({ mutationFn: checkChain });
  // One that came while pages were loaded may have pushed another onto two of them.
  const entries = found.data && [
    ...new Map(found.data.pages.flatMap(({ items }) => items).map((entry) => [entry.id, entry])).values(),
  ];
  return (
    <>
      <PageHeader
        title="Audit"
        actions={
          <Button icon={<ShieldCheck aria-hidden />} busy={check.isPending} onClick={() => check.mutate()}>
            Check log
          </Button>
        }
      >
        Accountable actions, latest first, with the reason each person gave.
      </PageHeader>
      <div className="flex flex-col gap-4">
        <ChainCheck check={check} />
        {found.error && (
          <ErrorPanel
            title={entries ? "Could not update the audit log." : "Could not load the audit log."}
            problem={found.error}
            onRetry={() => void (found.isFetchNextPageError ? found.fetchNextPage() : found.refetch())}
          />
        )}
        {found.isPending && <Skeleton lines={8} label="Loading the audit log" />}
        {entries && (
          <DataTable
            caption="Audit log"
            columns={COLUMNS}
            rows={entries}
            rowId={({ id }) => id}
            empty={
              <EmptyState icon={<BookCheck aria-hidden />} title="No entries yet">
                Adding people, pairing, changing policies and sending with open findings are recorded here.
              </EmptyState>
            }
            footer={
              found.hasNextPage && (
                <Button busy={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
                  Show more
                </Button>
              )
            }
          />
        )}
      </div>
    </>
  );
}

/** The way to what it was done to, where there is a page for that. */
function SubjectLink({ entry: { action, subject } }: { entry: AuditEntryShown }) {
  if (action === "findings-confirmed") {
    return (
      <Link to="/sent/$id" params={{ id: subject }}>
        Show the transfer
      </Link>
    );
  }
  if (action === "policy-created" || action === "policy-changed") {
    return (
      <Link to="/admin/policies/$name" params={{ name: subject }}>
        Show the policy
      </Link>
    );
  }
  return null;
}
