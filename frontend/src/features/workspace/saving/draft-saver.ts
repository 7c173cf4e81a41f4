/** The saver of one of this person's documents at the gateway. */
import { t } from "@lingui/core/macro";
import type { QueryClient } from "@tanstack/react-query";
import { draftQuery, renameDraft } from "@/api/drafts";
import { Problem } from "@/api/problem";
import { sessionQuery } from "@/api/session";
import type { DraftShown } from "@/api/types";
import { toastError } from "@/components/ui/toasts";
import { type Save, Saver, type SaverParts } from "./saver";

type ContentParts<Content> = Pick<SaverParts<Content>, "content" | "equals" | "size" | "save" | "load" | "take">;

export function draftSaver<Content>(
  client: QueryClient,
  ownerId: string,
  first: Save<Content>,
  parts: ContentParts<Content>,
): Saver<Content> {
  const { id } = first.draft;
  return new Saver(first, {
    ...parts,
    rename: (revision, name) => renameDraft(id, revision, name),
    isOwner: async () => (await client.fetchQuery({ ...sessionQuery, staleTime: 0 })).person?.id === ownerId,
    onDraft: (draft) => {
      // A list or an event may have brought a later one.
      client.setQueryData(draftQuery(id).queryKey, (known) =>
        known && known.revision > draft.revision ? known : draft,
      );
    },
    onNameRefused: (problem) => toastError(t`The document was not renamed.`, problem),
  });
}

const MOST_TRIES = 5;

/** The latest save of document `id`: its row and its content are of the same revision. */
export async function loadSave<Content>(
  client: QueryClient,
  id: string,
  loadContent: () => Promise<{ readonly content: Content; readonly revision: number }>,
): Promise<Save<Content>> {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const [draft, { content, revision }] = await Promise.all([freshDraft(client, id), loadContent()]);
    // If not, it was saved between the two.
    if (draft.revision === revision) return { draft, content };
  }
  throw new Problem(503, t`The document keeps changing elsewhere. Try again in a moment.`);
}

export function freshDraft(client: QueryClient, id: string): Promise<DraftShown> {
  return client.fetchQuery({ ...draftQuery(id), staleTime: 0 });
}
