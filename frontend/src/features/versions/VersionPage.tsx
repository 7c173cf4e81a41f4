import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { GitCompareArrows, History } from "lucide-react";
import { documentQuery, restoreVersion, versionsQuery } from "@/api/documents";
import { draftQuery } from "@/api/drafts";
import { Problem } from "@/api/problem";
import { announce } from "@/components/announce";
import { Button, buttonClass } from "@/components/ui/Button";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { PageHeader } from "@/components/ui/PageHeader";
import { RelativeTime } from "@/components/ui/RelativeTime";
import { Skeleton } from "@/components/ui/Skeleton";
import { StoredDocument } from "@/features/stored/StoredDocument";

const route = getRouteApi("/in/documents/$id/versions/$revision");

/** One version of a document, read-only. */
export function VersionPage() {
  const { id, revision } = route.useParams();
  const client = useQueryClient();
  const navigate = useNavigate();
  const { data: found, error: listError, refetch: refetchList } = useQuery({ ...versionsQuery(id), staleTime: 0 });
  const version = found?.versions.find((each) => String(each.revision) === revision);
  const document = useQuery({ ...documentQuery(version?.document_id ?? ""), enabled: version !== undefined });
  const restoring = useMutation({
    mutationFn: (latest: number) => restoreVersion(id, latest, Number(revision)),
    onSuccess: async (draft) => {
      client.setQueryData(draftQuery(id).queryKey, draft);
      void client.invalidateQueries({ queryKey: ["drafts"] });
      announce(t`Version ${revision} is back, as version ${{ latest: draft.revision }}`);
      await navigate({ to: "/documents/$id", params: { id } });
    },
    onError: () => client.invalidateQueries({ queryKey: versionsQuery(id).queryKey }),
  });
  const isLatest = found !== undefined && version?.revision === found.revision;
  const gone = found && !version ? new Problem(404, t`This version is not kept any more.`) : null;
  const error = listError ?? gone ?? document.error;
  return (
    <>
      <PageHeader
        title={version ? version.name : t`Version ${revision}`}
        above={
          <Link to="/documents/$id/versions" params={{ id }} className="tap">
            {t`Versions`}
          </Link>
        }
        actions={
          found &&
          version &&
          !isLatest && (
            <>
              <Link to="/documents/$id/compare" params={{ id }} search={{ from: revision }} className={buttonClass()}>
                <GitCompareArrows aria-hidden />
                {t`Compare with latest`}
              </Link>
              <Button
                tone="primary"
                icon={<History aria-hidden />}
                busy={restoring.isPending}
                onClick={() => restoring.mutate(found.revision)}
              >
                {t`Bring back`}
              </Button>
            </>
          )
        }
      >
        {version &&
          (isLatest ? (
            <Trans>
              Version {version.revision}, the latest, saved <RelativeTime at={version.created_at} />.
            </Trans>
          ) : (
            <Trans>
              Version {version.revision}, saved <RelativeTime at={version.created_at} />. Bringing it back makes it the
              latest version. The version before stays in this list.
            </Trans>
          ))}
      </PageHeader>
      {restoring.error && (
        <ErrorPanel title={t`Could not bring this version back.`} problem={restoring.error} className="mb-4" />
      )}
      {error ? (
        <ErrorPanel
          title={t`Could not load this version.`}
          problem={error}
          onRetry={() => void (document.error ? document.refetch() : refetchList())}
        />
      ) : document.data ? (
        <StoredDocument document={document.data} />
      ) : (
        <Skeleton lines={8} label={t`Loading this version`} />
      )}
    </>
  );
}
