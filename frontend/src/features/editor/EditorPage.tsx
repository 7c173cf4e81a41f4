import { PageHeader } from "@/components/ui/PageHeader";

/** One document, to write, mark and send. */
export function EditorPage() {
  return <PageHeader title="Document" />;
}
