import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { FileX } from "lucide-react";
import { documentQuery } from "@/api/documents";
import { EmptyState } from "@/components/ui/EmptyState";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { PageHeader } from "@/components/ui/PageHeader";
import { RelativeTime } from "@/components/ui/RelativeTime";
import { Skeleton } from "@/components/ui/Skeleton";
import { StoredDocument } from "@/features/stored/StoredDocument";
import { actualMode } from "@/features/transfers/channel-bytes";
import { useTransfer } from "@/features/transfers/use-transfer";
import { listText } from "@/lib/prose";
import { absoluteText } from "@/lib/times";

const route = getRouteApi("/in/sent/$id/document");

/** What a transfer sent, exactly as it was sent. For its author. */
export function SentDocumentPage() {
  const { id } = route.useParams();
  const { data: transfer, error: transferError, refetch: refetchTransfer } = useTransfer(id);
  const isGone = transfer !== undefined && transfer.document_deleted_at !== null;
  const found = useQuery({ ...documentQuery(transfer?.document_id ?? ""), enabled: transfer !== undefined && !isGone });
  const error = transferError ?? found.error;
  return (
    <>
      <PageHeader
        title={transfer?.name ?? t`Sent document`}
        above={<Link to="/sent/$id" params={{ id }} className="tap">{t`Transfer`}</Link>}
      >
        {transfer && (
          <Trans>
            As it was sent to {listText(transfer.recipient_names)} at {transfer.peer},{" "}
            <RelativeTime at={transfer.created_at} />
          </Trans>
        )}
      </PageHeader>
      {isGone ? (
        <EmptyState
          icon={<FileX aria-hidden />}
          title={t`Deleted`}
        >{t`You deleted this document on ${absoluteText(new Date(transfer.document_deleted_at ?? ""))}, so what was sent can no longer be shown. Copies that were delivered stay with their recipients.`}</EmptyState>
      ) : error ? (
        <ErrorPanel
          title={t`Could not load the document.`}
          problem={error}
          onRetry={() => void (transferError ? refetchTransfer() : found.refetch())}
        />
      ) : transfer && found.data ? (
        <StoredDocument document={found.data} securely={actualMode(transfer) === "secure-only"} />
      ) : (
        <Skeleton lines={8} label={t`Loading the document`} />
      )}
    </>
  );
}
