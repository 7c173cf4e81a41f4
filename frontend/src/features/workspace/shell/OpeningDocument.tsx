import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import type { UseQueryResult } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { FileQuestionMark } from "lucide-react";
import { type ReactNode, useEffect } from "react";
import { Problem } from "@/api/problem";
import { buttonClass } from "@/components/ui/Button";
import { EmptyState } from "@/components/ui/EmptyState";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { PageHeader } from "@/components/ui/PageHeader";
import { Skeleton } from "@/components/ui/Skeleton";
import { useSession } from "@/session/session";

/** What `query` has loaded of a document; it loads again once the person has signed in again. */
export function OpeningDocument<Opened>(props: {
  query: UseQueryResult<Opened>;
  children: (opened: Opened) => ReactNode;
}) {
  const { data, error, refetch } = props.query;
  const { status: session } = useSession();
  const signedOut = error instanceof Problem && error.status === 401;
  useEffect(() => {
    if (signedOut && session.is === "held") void refetch();
  }, [signedOut, session.is, refetch]);

  if (data) return props.children(data);
  return (
    <>
      <PageHeader title={t`Document`} above={<Link to="/documents">{t`Documents`}</Link>} />
      {error ? (
        <NotOpened error={error} onRetry={() => void refetch()} />
      ) : (
        <div className="sheet mx-auto max-w-[52rem]">
          <Skeleton label={t`Opening the document`} lines={8} />
        </div>
      )}
    </>
  );
}

function NotOpened({ error, onRetry }: { error: Error; onRetry: () => void }) {
  if (!(error instanceof Problem) || error.status !== 404) {
    return <ErrorPanel title={t`The document could not be opened.`} problem={error} onRetry={onRetry} />;
  }
  return (
    <EmptyState
      icon={<FileQuestionMark />}
      title={t`Document not found`}
      action={
        <Link to="/documents" search={{ view: "deleted" }} className={buttonClass()}>
          {t`Go to deleted documents`}
        </Link>
      }
    >
      <Trans>
        You deleted it, or it belongs to someone else. You can restore your own documents for some time after you
        deleted them.
      </Trans>
    </EmptyState>
  );
}
