import { PageHeader } from "@/components/ui/PageHeader";

/** One document that has come in. */
export function InboxOnePage() {
  return <PageHeader title="Document" />;
}
