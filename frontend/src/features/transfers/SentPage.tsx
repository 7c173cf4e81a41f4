import { PageHeader } from "@/components/ui/PageHeader";

/** What an author has sent. */
export function SentPage() {
  return <PageHeader title="Sent" />;
}
