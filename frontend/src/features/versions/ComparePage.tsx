import { t } from "@lingui/core/macro";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { versionsQuery } from "@/api/documents";
import { draftQuery } from "@/api/drafts";
import { Problem } from "@/api/problem";
import type { VersionShown } from "@/api/types";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { PageHeader } from "@/components/ui/PageHeader";
import { Select } from "@/components/ui/Select";
import { Skeleton } from "@/components/ui/Skeleton";
import { absoluteText } from "@/lib/times";
import { withoutEmpty } from "@/lib/without-empty";
import { ComparedMarks } from "./ComparedMarks";
import { ComparedTexts } from "./ComparedTexts";

const route = getRouteApi("/in/documents/$id/compare");

/** Two versions of a document: the words and marks that were added and removed. */
export function ComparePage() {
  const { id } = route.useParams();
  const asked = route.useSearch();
  const navigate = route.useNavigate();
  const { data: draft } = useQuery(draftQuery(id));
  const { data, error, refetch } = useQuery({ ...versionsQuery(id), staleTime: 0 });
  const versions = data?.versions ?? [];
  const find = (revision: string | undefined) => versions.find((version) => String(version.revision) === revision);
  const after = asked.to === undefined ? versions[0] : find(asked.to);
  const before = asked.from === undefined ? versions.find((version) => version !== after) : find(asked.from);
  const gone = data && (!before || !after) ? new Problem(404, t`One of these versions is not kept any more.`) : null;
  const show = (change: { from?: string; to?: string }) =>
    void navigate({ search: (search) => withoutEmpty({ ...search, ...change }), replace: true });
  const choices = versions.map(({ revision, created_at }) => ({
    value: String(revision),
    label: revision === data?.revision ? t`Version ${revision}, latest` : t`Version ${revision}`,
    hint: t`Saved ${{ time: absoluteText(new Date(created_at)) }}`,
  }));
  return (
    <>
      <PageHeader
        dense
        title={draft ? t`Compare versions of ${{ name: draft.name }}` : t`Compare versions`}
        above={
          <Link to="/documents/$id/versions" params={{ id }} className="tap">
            {t`Versions`}
          </Link>
        }
      />
      {(error ?? gone) && (
        <ErrorPanel title={t`Could not load the versions.`} problem={error ?? gone} onRetry={() => void refetch()} />
      )}
      {!data && !error && <Skeleton lines={8} label={t`Loading the versions`} />}
      {before && after && (
        <div className="flex flex-col gap-4">
          <div className="flex flex-wrap gap-3">
            <Select
              label={t`Before`}
              className="w-56 max-sm:w-full"
              value={String(before.revision)}
              onValueChange={(from) => show({ from })}
              choices={choices}
            />
            <Select
              label={t`After`}
              className="w-56 max-sm:w-full"
              value={String(after.revision)}
              onValueChange={(to) => show({ to })}
              choices={choices}
            />
          </div>
          <Compared key={`${before.document_id} ${after.document_id}`} before={before} after={after} />
        </div>
      )}
    </>
  );
}

function Compared({ before, after }: { before: VersionShown; after: VersionShown }) {
  return (
    <>
      {before.name !== after.name && (
        <p className="wrap-anywhere">{t`Renamed from “${{ before: before.name }}” to “${{ after: after.name }}”.`}</p>
      )}
      {before.format === "text" && after.format === "text" ? (
        <ComparedTexts before={before} after={after} />
      ) : (
        <ComparedMarks before={before} after={after} />
      )}
    </>
  );
}
