import { t } from "@lingui/core/macro";
import { useInfiniteQuery, useMutation } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { BookCheck, Download, SearchX, ShieldCheck } from "lucide-react";
import { type AuditEntryShown, type AuditFilters, auditHref, auditQuery, checkChain } from "@/api/audit";
import { PagedError, useAnnouncedCount, usePagedRows } from "@/components/paged-rows";
import { Button, buttonClass } from "@/components/ui/Button";
import { type Column, DataTable } from "@/components/ui/DataTable";
import { EmptyState } from "@/components/ui/EmptyState";
import { PageHeader } from "@/components/ui/PageHeader";
import { Skeleton } from "@/components/ui/Skeleton";
import { absoluteText, relativeText, startOfDay } from "@/lib/times";
import { withoutEmpty } from "@/lib/without-empty";
import { AuditFilterFields, asKind } from "./AuditFilterFields";
import { ChainCheck } from "./ChainCheck";
import { entryText } from "./entry-text";

const route = getRouteApi("/in/admin/audit");

const COLUMNS: readonly Column<AuditEntryShown>[] = [
  {
    id: "what",
    header: t`Who did what`,
    names: true,
    cell: (entry) => (
      <span className="wrap-anywhere font-normal">
        <span className="font-medium">{entry.actor || t`Somebody`}</span> {entryText(entry)}{" "}
        <SubjectLink entry={entry} />
      </span>
    ),
  },
  {
    id: "reason",
    header: t`Why`,
    className: "md:w-2/5",
    cell: ({ reason }) => <span className="wrap-anywhere whitespace-pre-line">{reason ?? "–"}</span>,
  },
  {
    id: "at",
    header: t`When`,
    className: "whitespace-nowrap",
    cell: ({ at }) => (
      <time dateTime={at} title={relativeText(new Date(at), new Date())}>
        {absoluteText(new Date(at))}
      </time>
    ),
  },
];

/** The audit log: accountable actions and their reasons. */
export function AuditPage() {
  const asked = route.useSearch();
  const navigate = route.useNavigate();
  const last = startOfDay(asked.until);
  const filters: AuditFilters = withoutEmpty({
    search: asked.search,
    actor: asked.actor,
    kind: asKind(asked.kind),
    since: startOfDay(asked.since)?.toISOString(),
    until: last && nextDay(last).toISOString(),
  });
  const filtered = Object.keys(filters).length > 0;
  const found = usePagedRows(useInfiniteQuery(auditQuery(filters)));
  useAnnouncedCount(
    "result",
    filtered && !found.isPlaceholderData ? JSON.stringify(filters) : "",
    found.rows?.length,
    found.hasNextPage,
  );
  const check = useMutation({ mutationFn: checkChain });
  return (
    <>
      <PageHeader
        dense
        title={t`Audit`}
        actions={
          <>
            {(["csv", "jsonl"] as const).map((format) => (
              <a
                key={format}
                href={auditHref(filters, format)}
                download
                aria-label={EXPORT_LABEL[format]}
                className={buttonClass("quiet")}
              >
                <Download aria-hidden />
                {EXPORT_WORD[format]}
              </a>
            ))}
            <Button icon={<ShieldCheck aria-hidden />} busy={check.isPending} onClick={() => check.mutate()}>
              {t`Check log`}
            </Button>
          </>
        }
      >
        {t`What people did: sign-ins, reads of received documents and changes, latest first. An export holds the entries that the filters show.`}
      </PageHeader>
      <div className="flex flex-col gap-3">
        <ChainCheck check={check} />
        <AuditFilterFields
          value={asked}
          onChange={(change) =>
            void navigate({ search: (before) => withoutEmpty({ ...before, ...change }), replace: true })
          }
        />
        <PagedError found={found} what={t`the audit log`} />
        {found.isPending && <Skeleton lines={8} label={t`Loading the audit log`} />}
        {found.rows && (
          <DataTable
            dense
            caption={t`Audit log`}
            columns={COLUMNS}
            rows={found.rows}
            rowId={({ id }) => id}
            stale={found.isPlaceholderData}
            empty={
              filtered ? (
                <EmptyState
                  icon={<SearchX aria-hidden />}
                  title={t`No entries match these filters`}
                  action={
                    <Button onClick={() => void navigate({ search: {}, replace: true })}>{t`Clear filters`}</Button>
                  }
                >
                  {t`Remove a filter, or search for something else.`}
                </EmptyState>
              ) : (
                <EmptyState icon={<BookCheck aria-hidden />} title={t`No entries yet`}>
                  {t`Sign-ins, reads of received documents, adding people, pairing, changing policies and sending with open findings are recorded here.`}
                </EmptyState>
              )
            }
            footer={found.more}
          />
        )}
      </div>
    </>
  );
}

const EXPORT_WORD = { csv: t`CSV`, jsonl: t`JSON Lines` } as const;
const EXPORT_LABEL = { csv: t`Export as CSV`, jsonl: t`Export as JSON Lines` } as const;

/** The beginning of the day after. */
function nextDay(day: Date): Date {
  const next = new Date(day);
  next.setDate(next.getDate() + 1);
  return next;
}

/** A link to the subject of an entry, if it has a page. */
function SubjectLink({ entry: { action, subject } }: { entry: AuditEntryShown }) {
  if (action === "findings-confirmed") {
    return (
      <Link to="/sent/$id" params={{ id: subject }}>
        {t`Show the transfer`}
      </Link>
    );
  }
  if (action === "policy-created" || action === "policy-changed") {
    return (
      <Link to="/admin/policies/$name" params={{ name: subject }}>
        {t`Show the policy`}
      </Link>
    );
  }
  return null;
}
