import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { GitCompareArrows, Trash2 } from "lucide-react";
import { useState } from "react";
import { deleteEarlierVersions, versionsQuery } from "@/api/documents";
import { draftQuery } from "@/api/drafts";
import type { VersionShown } from "@/api/types";
import { announce } from "@/components/announce";
import { Button, buttonClass } from "@/components/ui/Button";
import { Bytes } from "@/components/ui/Bytes";
import { ConfirmDialog } from "@/components/ui/ConfirmDialog";
import { type Column, DataTable } from "@/components/ui/DataTable";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { PageHeader } from "@/components/ui/PageHeader";
import { RelativeTime } from "@/components/ui/RelativeTime";
import { Skeleton } from "@/components/ui/Skeleton";
import { percentText } from "@/lib/percent";

const route = getRouteApi("/in/documents/$id/versions");

/** The versions of a document: to look at, and to bring back. */
export function VersionsPage() {
  const { id } = route.useParams();
  const client = useQueryClient();
  const { data: draft } = useQuery(draftQuery(id));
  const { data, error, refetch } = useQuery({ ...versionsQuery(id), staleTime: 0 });
  const [asking, setAsking] = useState(false);
  const deleting = useMutation({
    mutationFn: () => deleteEarlierVersions(id),
    onSuccess: () => {
      setAsking(false);
      announce(t`Earlier versions deleted`);
    },
    onSettled: () => client.invalidateQueries({ queryKey: versionsQuery(id).queryKey }),
  });
  const removable = data?.versions.some(({ revision, sent }) => revision !== data.revision && sent.length === 0);
  return (
    <>
      <PageHeader
        title={draft ? t`Versions of ${{ name: draft.name }}` : t`Versions`}
        above={
          <Link to="/documents/$id" params={{ id }} className="tap">
            {t`Document`}
          </Link>
        }
        actions={
          data &&
          data.versions.length > 1 && (
            <>
              {removable && (
                <Button tone="danger" icon={<Trash2 aria-hidden />} onClick={() => setAsking(true)}>
                  {t`Delete earlier versions`}
                </Button>
              )}
              <Link to="/documents/$id/compare" params={{ id }} className={buttonClass()}>
                <GitCompareArrows aria-hidden />
                {t`Compare`}
              </Link>
            </>
          )
        }
      >
        <Trans>
          The gateway keeps the latest version and each one that was sent. Of the others, it keeps the last of each
          minute for an hour, the last of each hour for a day, and the last of each day for 30 days.
        </Trans>
      </PageHeader>
      {error && <ErrorPanel title={t`Could not load the versions.`} problem={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton lines={5} label={t`Loading the versions`} />}
      {data && (
        <DataTable
          caption={t`Versions`}
          columns={columnsOf(id, data.revision)}
          rows={data.versions}
          rowId={({ revision }) => String(revision)}
          footer={
            <p className="text-quiet text-sm">
              {data.versions.length === 1 ? (
                <Trans>
                  This version takes <Bytes value={data.stored_bytes} /> on this gateway’s disk.
                </Trans>
              ) : (
                <Trans>
                  All versions together take <Bytes value={data.stored_bytes} /> on this gateway’s disk.
                </Trans>
              )}
            </p>
          }
        />
      )}
      <ConfirmDialog
        open={asking}
        onClose={() => setAsking(false)}
        title={t`Delete earlier versions?`}
        confirm={t`Delete`}
        action={deleting}
        onConfirm={() => deleting.mutate()}
      >
        {t`The latest version and those that were sent are kept. The others cannot be restored.`}
      </ConfirmDialog>
    </>
  );
}

function columnsOf(id: string, latest: number): readonly Column<VersionShown>[] {
  return [
    {
      id: "version",
      header: t`Version`,
      names: true,
      className: "whitespace-nowrap",
      cell: ({ revision }) => (
        <Link to="/documents/$id/versions/$revision" params={{ id, revision: String(revision) }}>
          {revision === latest ? t`Version ${revision}, latest` : t`Version ${revision}`}
        </Link>
      ),
    },
    {
      id: "saved",
      header: t({ context: "a version", message: "Saved" }),
      className: "whitespace-nowrap",
      cell: ({ created_at }) => <RelativeTime at={created_at} />,
    },
    {
      id: "size",
      header: t`Size`,
      align: "end",
      className: "whitespace-nowrap",
      cell: ({ document_bytes }) => <Bytes value={document_bytes} />,
    },
    { id: "classified", header: t`Classified`, align: "end", className: "whitespace-nowrap", cell: classifiedText },
    {
      id: "sent",
      header: t({ context: "a version", message: "Sent" }),
      cell: (version) => <SentTo version={version} />,
    },
  ];
}

function classifiedText({ document_bytes, classified_bytes }: VersionShown): string {
  return classified_bytes === 0 ? t`Nothing` : percentText(classified_bytes / document_bytes);
}

function SentTo({ version: { sent } }: { version: VersionShown }) {
  if (sent.length === 0) return <span className="text-quiet">–</span>;
  return (
    <ul className="flex flex-col gap-1">
      {sent.map(({ id, peer, state, created_at }) => (
        <li key={id}>
          <Link to="/sent/$id" params={{ id }}>
            {t`Sent to ${peer}`}
          </Link>
          <span className="text-quiet">
            , <RelativeTime at={created_at} />
            {state === "failed" && t`, failed`}
            {state === "cancelled" && t`, cancelled`}
          </span>
        </li>
      ))}
    </ul>
  );
}
