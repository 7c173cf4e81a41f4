import { PageHeader } from "@/components/ui/PageHeader";

/** One transfer, as it goes. */
export function SentOnePage() {
  return <PageHeader title="Transfer" />;
}
