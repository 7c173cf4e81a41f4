/** What has become of a draft: what its row says. */
import type { DraftShown } from "@/api/types";

export type LastTransfer = NonNullable<DraftShown["last_transfer"]>;

/** Whether what was sent last is no longer what the draft is. */
export function changedSinceSent(draft: DraftShown): boolean {
  return draft.last_transfer !== null && draft.last_transfer.revision < draft.revision;
}

/** How much of a document is classified, 0 to 1; an empty one has no share. */
export function classifiedShare({ document_bytes, classified_bytes }: DraftShown): number | null {
  return document_bytes === 0 ? null : classified_bytes / document_bytes;
}
