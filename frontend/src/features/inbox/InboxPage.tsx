import { PageHeader } from "@/components/ui/PageHeader";

/** What has come in for a recipient. */
export function InboxPage() {
  return <PageHeader title="Inbox" />;
}
