/** Loads a text from the gateway, and the editor for it. */
import { t } from "@lingui/core/macro";
import { type QueryClient, queryOptions } from "@tanstack/react-query";
import { draftQuery } from "@/api/drafts";
import type { DraftShown } from "@/api/types";
import { Loading } from "@/components/Loading";
import { lazyWithPreload } from "@/components/lazy-with-preload";
import { whyNotShown } from "@/components/reader/why-not-shown";
import { MOST_LONG_BYTES, MOST_SHORT_BYTES } from "@/marked-text/limits";
import { freshDraft } from "../workspace/saving/draft-saver";
import type { Save } from "../workspace/saving/saver";
import { loadText, openingKey } from "./text-saver";

/** A text to edit; or, with null as its content, a document that cannot be shown, and a sentence why. */
export type Opened = Save<string> | (Save<null> & { readonly why: string });

/** Never cached: somebody may have saved the document before the next visit. */
export const openingQuery = (client: QueryClient, id: string) =>
  queryOptions({
    queryKey: openingKey(id),
    queryFn: ({ signal }) => openDocument(client, id, signal),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    structuralSharing: false,
  });

/** The code of the editor for long texts is loaded with the text. */
export const LongTextPage = lazyWithPreload(async () => (await import("./long/LongTextPage")).LongTextPage, Loading);

async function openDocument(client: QueryClient, id: string, signal: AbortSignal): Promise<Opened> {
  // If what is cached is not the latest, loading the text will show that.
  const known = await client.ensureQueryData(draftQuery(id));
  const draft = whyNot(known) === null ? known : await freshDraft(client, id);
  const why = whyNot(draft);
  if (why !== null) return { draft, content: null, why };
  const [latest] = await Promise.all([
    loadText(client, id, signal),
    draft.document_bytes > MOST_SHORT_BYTES ? LongTextPage.load() : undefined,
  ]);
  const { content } = latest;
  return content === null ? { ...latest, content, why: NOT_UTF8 } : { ...latest, content };
}

function whyNot({ media_type, document_bytes }: DraftShown): string | null {
  return whyNotShown(media_type, document_bytes, MOST_LONG_BYTES);
}

const NOT_UTF8 = t`This document has a text type but is not UTF-8, so it cannot be shown or edited.`;
