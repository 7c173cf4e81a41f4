import { PageHeader } from "@/components/ui/PageHeader";

/** Every transfer of this gateway. */
export function TransfersPage() {
  return <PageHeader title="Transfers" />;
}
