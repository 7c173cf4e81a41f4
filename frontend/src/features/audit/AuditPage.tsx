import { useInfiniteQuery, useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { BookCheck, ShieldCheck } from "lucide-react";
import { type AuditEntryShown, auditQuery, checkChain } from "@/api/audit";
import { PagedError, usePagedRows } from "@/components/paged-rows";
import { Button } from "@/components/ui/Button";
import { type Column, DataTable } from "@/components/ui/DataTable";
import { EmptyState } from "@/components/ui/EmptyState";
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

/** The audit log: accountable actions and their reasons. */
export function AuditPage() {
  const found = usePagedRows(useInfiniteQuery(auditQuery));
  const check = useMutation({ mutationFn: checkChain });
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
        <PagedError found={found} what="the audit log" />
        {found.isPending && <Skeleton lines={8} label="Loading the audit log" />}
        {found.rows && (
          <DataTable
            caption="Audit log"
            columns={COLUMNS}
            rows={found.rows}
            rowId={({ id }) => id}
            empty={
              <EmptyState icon={<BookCheck aria-hidden />} title="No entries yet">
                Adding people, pairing, changing policies and sending with open findings are recorded here.
              </EmptyState>
            }
            footer={found.more}
          />
        )}
      </div>
    </>
  );
}

/** A link to the subject of an entry, if it has a page. */
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
