import { t } from "@lingui/core/macro";
import { getRouteApi } from "@tanstack/react-router";
import { PageHeader } from "@/components/ui/PageHeader";
import { SegmentedControl } from "@/components/ui/SegmentedControl";
import { ReceivedTransfers } from "./transfers/ReceivedTransfers";
import { SentTransfers } from "./transfers/SentTransfers";
import { asView, VIEWS } from "./transfers/view";

const route = getRouteApi("/in/admin/transfers");

/** All transfers from and to this gateway, without the content of documents. */
export function TransfersPage() {
  const view = asView(route.useSearch().view);
  const navigate = route.useNavigate();
  return (
    <>
      <PageHeader
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
        {view === "sent"
          ? t`All transfers from this gateway, and their status. Document content is not shown.`
          : t`All documents that this gateway received, and who opened them. Document content is not shown.`}
      </PageHeader>
      {view === "sent" ? <SentTransfers /> : <ReceivedTransfers />}
    </>
  );
}
