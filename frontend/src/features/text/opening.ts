/** A document on its way from the gateway to the page. */
import { type QueryClient, queryOptions } from "@tanstack/react-query";
import { draftContent, draftQuery } from "@/api/drafts";
import { Problem } from "@/api/problem";
import type { DraftShown } from "@/api/types";
import { Loading } from "@/app/Loading";
import { whyNotShown } from "@/components/reader/shown";
import { early } from "@/lib/early";
import { MOST_LARGE_BYTES } from "@/marked-text/holds";
import { MOST_BYTES } from "@/marked-text/most-bytes";
import type { Save } from "../workspace/saving/saver";

/** `marked`: null if it is no text that can be shown; `why` says that then, in a sentence. */
export type Opening = Save | { readonly draft: DraftShown; readonly marked: null; readonly why: string };

/** Never kept: the next visit loads it anew, since it may have been saved since. */
export const openingQuery = (client: QueryClient, id: string) =>
  queryOptions({
    queryKey: ["content", "opening", id],
    queryFn: ({ signal }) => openDocument(client, id, signal),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    structuralSharing: false,
  });

/** The editor of long texts: its code comes with the text. */
export const LargeDocument = early(async () => (await import("./long/LargeDocument")).LargeDocument, Loading);

async function openDocument(client: QueryClient, id: string, signal: AbortSignal): Promise<Opening> {
  // What is known of it is soon seen to be the latest, or not.
  const known = await client.ensureQueryData(draftQuery(id));
  const draft = whyNot(known) === null ? known : await freshDraft(client, id);
  const why = whyNot(draft);
  if (why !== null) return { draft, marked: null, why };
  const [latest] = await Promise.all([
    loadSave(client, id, signal),
    draft.document_bytes > MOST_BYTES ? LargeDocument.load() : undefined,
  ]);
  return latest.marked === null ? { ...latest, marked: null, why: NO_TEXT } : { ...latest, marked: latest.marked };
}

function whyNot({ media_type, document_bytes }: DraftShown): string | null {
  return whyNotShown(media_type, document_bytes, MOST_LARGE_BYTES);
}

const MOST_TRIES = 5;
const NO_TEXT = "It is called text, but its bytes are not UTF-8, so it cannot be shown or edited.";

/** The latest save, its row and its text being of the same revision. `marked`: null if that is not UTF-8. */
export async function loadSave(
  client: QueryClient,
  id: string,
  signal: AbortSignal,
): Promise<{ draft: DraftShown; marked: string | null }> {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const [draft, { content, revision }] = await Promise.all([
      freshDraft(client, id),
      draftContent(id, "marked", signal),
    ]);
    // Else it was saved between the two.
    if (draft.revision === revision) return { draft, marked: decode(content) };
  }
  throw new Problem(503, "The document is being saved again and again elsewhere. Try again in a moment.");
}

function freshDraft(client: QueryClient, id: string): Promise<DraftShown> {
  return client.fetchQuery({ ...draftQuery(id), staleTime: 0 });
}

/** The text of these bytes, just as it is, a byte order mark too; null if they are not UTF-8. */
function decode(bytes: Uint8Array<ArrayBuffer>): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}
