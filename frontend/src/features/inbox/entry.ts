/** What the reader of an inbox entry may see, and texts about it. */
import { t } from "@lingui/core/macro";
import type { ShownEdition } from "@/api/inbox";
import { isText } from "@/api/media-types";
import type { EntryShown } from "@/api/types";
import { percentText } from "@/lib/percent";
import { sizeText } from "@/lib/sizes";

type Editions = Pick<EntryShown, "editions">;
type Kind = Pick<EntryShown, "editions" | "media_type" | "redacted_bytes" | "withheld">;

/** Whether the reader may see the whole document. */
export function isWhole({ editions }: Editions): boolean {
  return editions.includes("full");
}

/** The edition that the page shows; null if none. Invariant: it is one of the entry's editions. */
export function shownEdition({ editions, media_type }: Kind): ShownEdition | null {
  if (editions.includes("marked")) return "marked";
  return editions.includes("redacted") && isText(media_type) ? "gaps" : null;
}

/** Why the classified content is withheld from this reader, and what they can see, in a sentence or two. */
export function unclearedText({ editions, media_type, redacted_bytes, withheld }: Kind): string {
  if (withheld === "cleared-later") {
    return t`You were cleared after this arrived. You can read its classified content once a second admin agrees.`;
  }
  if (withheld === "reset") {
    return t`This arrived before your password was set with a link. You can read its classified content once a second admin agrees.`;
  }
  if (redacted_bytes !== null) {
    return t`You are not cleared, so you see the redacted edition, which the sender’s gateway made.`;
  }
  if (editions.length > 0) {
    return t`You are not cleared. Bars replace withheld text; every bar has the same width, whatever it hides.`;
  }
  return isText(media_type)
    ? t`You are not cleared, and there is no redacted edition of this document.`
    : t`You are not cleared, and this file came without a redacted edition. Ask the sender for one.`;
}

/** The size that the reader may know: of the document, of the redacted edition that came with a file, or of the plain part. */
export function knownBytes({ document_bytes, redacted_bytes, plain_bytes }: EntryShown): number {
  return document_bytes ?? redacted_bytes ?? plain_bytes;
}

/** How much is classified, 0 to 1; null for readers who may not know. */
export function shareOf({ document_bytes, classified_bytes }: EntryShown): number | null {
  if (document_bytes === null || classified_bytes === null) return null;
  return document_bytes === 0 ? 0 : classified_bytes / document_bytes;
}

/** The same in figures: "34 % (565 bytes)", or "Nothing". */
export function shareText(entry: EntryShown): string {
  const share = shareOf(entry);
  return share ? `${percentText(share)} (${sizeText(entry.classified_bytes ?? 0)})` : t`Nothing`;
}
