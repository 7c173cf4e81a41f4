import type { DraftShown } from "@/api/types";
import { ShareSummary } from "@/features/workspace/panels/ShareSummary";

/** How much of a long text is classified in the latest save: counting at each key would be too slow. */
export function LongTextShare({ draft }: { draft: DraftShown }) {
  const { document_bytes, classified_bytes, plain_bytes } = draft;
  return (
    <ShareSummary
      counts={{
        proportion: document_bytes === 0 ? 0 : classified_bytes / document_bytes,
        documentBytes: document_bytes,
        classifiedBytes: classified_bytes,
        plainBytes: plain_bytes,
      }}
    />
  );
}
