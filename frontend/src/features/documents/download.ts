import { api } from "@/api/client";
import { draftContentUrl } from "@/api/drafts";
import type { DraftShown } from "@/api/types";
import { isText } from "@/lib/media-types";

/**
 * Lets the browser save a draft as a file: text with its marks, all else as it is.
 *
 * @throws Problem if it cannot be had; asked first, because a browser says nothing useful of a download that fails.
 */
export async function downloadDraft(draft: DraftShown): Promise<void> {
  await api.GET("/api/v1/drafts/{draft_id}", { params: { path: { draft_id: draft.id } } });
  const link = document.createElement("a");
  link.href = draftContentUrl(draft.id, hasTags(draft) ? "marked" : "full");
  link.download = draft.name;
  link.click();
}

/** Whether a draft's marks can be written into it as tags. */
export function hasTags(draft: DraftShown): boolean {
  return draft.format === "text" && isText(draft.media_type);
}
