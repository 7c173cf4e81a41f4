/** Which documents the reader shows. */
import { t } from "@lingui/core/macro";
import { isText, nameOf } from "@/api/media-types";
import { sizeText } from "@/lib/sizes";

const MOST_SHOWN_BYTES = 16_000_000;

/** Why the reader cannot show a document of this type and size, in a sentence; null if it can. */
export function whyNotShown(mediaType: string, bytes: number, most = MOST_SHOWN_BYTES): string | null {
  if (!isText(mediaType)) {
    return t`Only text can be shown here. This document is of type ${{ type: nameOf(mediaType) ?? mediaType }}.`;
  }
  if (bytes <= most) return null;
  return t`Only documents of up to ${{ size: sizeText(most) }} can be shown here.`;
}
