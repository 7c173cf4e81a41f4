/** The state of a draft, from its row. */
import type { DraftShown } from "@/api/types";

export type LastTransfer = NonNullable<DraftShown["last_transfer"]>;

/** Whether the draft has changed since it was last sent. */
export function changedSinceSent(draft: DraftShown): boolean {
  return draft.last_transfer !== null && draft.last_transfer.revision < draft.revision;
}

/** How much of a document is classified, 0 to 1; null for an empty one. */
export function classifiedShare({ document_bytes, classified_bytes }: DraftShown): number | null {
  return document_bytes === 0 ? null : classified_bytes / document_bytes;
}
