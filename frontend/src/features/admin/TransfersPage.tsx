import { t } from "@lingui/core/macro";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { receivedCountsQuery } from "@/api/received";
import { transferCountsQuery } from "@/api/transfers";
import { PageHeader } from "@/components/ui/PageHeader";
import { SegmentedControl } from "@/components/ui/SegmentedControl";
import { receivedFilters, sentFilters } from "./transfers/filters";
import { ListTotal } from "./transfers/ListTotal";
import { ReceivedTransfers } from "./transfers/ReceivedTransfers";
import { SentTransfers } from "./transfers/SentTransfers";
import { asView, VIEWS } from "./transfers/view";

const route = getRouteApi("/in/admin/transfers");

/** All transfers from and to this gateway, without the content of documents. */
export function TransfersPage() {
  const asked = route.useSearch();
  const view = asView(asked.view);
  const sent = useQuery({ ...transferCountsQuery(sentFilters(asked)), enabled: view === "sent" }).data;
  const received = useQuery({ ...receivedCountsQuery(receivedFilters(asked)), enabled: view === "received" }).data;
  const navigate = route.useNavigate();
  return (
    <>
      <PageHeader
        dense
        title={t`Transfers`}
        actions={
          <SegmentedControl
            label={t`Direction`}
            value={view}
            segments={VIEWS}
            // The other filters do not mean the same in both lists.
            onValueChange={(next) => void navigate({ search: next === "sent" ? {} : { view: next } })}
          />
        }
      >
        {t`Document content is not shown.`}{" "}
        {view === "sent" && sent && <ListTotal documents={sent.transfers} bytes={sent.bytes} />}
        {view === "received" && received && <ListTotal documents={received.documents} bytes={received.bytes} />}
      </PageHeader>
      {view === "sent" ? <SentTransfers /> : <ReceivedTransfers />}
    </>
  );
}
