import { api } from "@/api/client";
import { draftContentUrl } from "@/api/drafts";
import type { DraftShown } from "@/api/types";
import { isText } from "./media-types";

/**
 * Downloads a draft: a text with its marks, a file unchanged.
 *
 * @throws Problem if the gateway refuses. It asks before the download, because browsers do not report why one failed.
 */
export async function downloadDraft(draft: DraftShown): Promise<void> {
  await api.GET("/api/v1/drafts/{draft_id}", { params: { path: { draft_id: draft.id } } });
  const link = document.createElement("a");
  link.href = draftContentUrl(draft.id, hasTags(draft) ? "marked" : "full");
  link.download = draft.name;
  link.click();
}

/** Whether a draft can be downloaded with its marks as tags. */
export function hasTags(draft: DraftShown): boolean {
  return draft.format === "text" && isText(draft.media_type);
}
