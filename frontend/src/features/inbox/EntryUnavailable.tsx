import { t } from "@lingui/core/macro";
import { Link } from "@tanstack/react-router";
import { FileX } from "lucide-react";
import { useEffect } from "react";
import type { Problem } from "@/api/problem";
import { announce } from "@/components/announce";
import { buttonClass } from "@/components/ui/Button";
import { EmptyState } from "@/components/ui/EmptyState";
import { PageHeader } from "@/components/ui/PageHeader";

interface EntryUnavailableProps {
  /** The gateway's refusal: 404, or 403 if the person may not read the document. */
  problem: Problem;
  /** Its name, if the page has shown it. */
  name: string | null;
}

/** Replaces a received document that does not exist, was deleted, or is for other people. */
export function EntryUnavailable({ problem, name }: EntryUnavailableProps) {
  const title = problem.status === 403 ? t`You do not have access` : t`Not in your inbox`;
  useEffect(() => {
    if (name !== null) announce(t`${name} is no longer here`);
  }, [name]);
  return (
    <>
      <PageHeader title={title} above={<Link to="/inbox">{t`Inbox`}</Link>} />
      <EmptyState
        icon={<FileX aria-hidden />}
        title={name === null ? t`Document not found` : t`“${name}” is no longer here`}
        action={<Link to="/inbox" className={buttonClass("primary")}>{t`Back to inbox`}</Link>}
      >
        {problem.status === 403 ? problem.detail : why(name)}
      </EmptyState>
    </>
  );
}

function why(name: string | null): string {
  const reasons = t`It was deleted, possibly in another tab, or its retention period ended.`;
  return name === null ? t`${reasons} Or it was sent to someone else.` : reasons;
}
