/** What saves a text of this person's, whichever editor it is in. */
import type { QueryClient } from "@tanstack/react-query";
import { draftQuery, renameDraft, saveDraft } from "@/api/drafts";
import { sessionQuery } from "@/api/session";
import { toast, toastError } from "@/components/ui/toasts";
import { loadSave, openingQuery } from "@/features/text/opening";
import { LoadError } from "@/features/text/tiptap/engine/load";
import { MarkupError } from "@/marked-text/markup";
import { type Marked, type Save, Saver } from "./saver";

interface TextEditor {
  /** The marked text as it stands there. */
  text: () => Marked;
  /** The same as it was opened. */
  opened: Marked;
  /** What is sent of it. */
  body: (text: Marked) => Promise<Blob> | string;
  /** Puts a marked text in its place; throws what `cannotHold` knows if the editor does not hold it. */
  put: (marked: string) => void;
}

export function draftSaver(client: QueryClient, ownerId: string, save: Save, editor: TextEditor): Saver {
  const { id } = save.draft;
  return new Saver(
    { draft: save.draft, marked: editor.opened },
    {
      text: editor.text,
      save: async (revision, marked) => saveDraft(id, revision, "marked", await editor.body(marked)),
      rename: (revision, name) => renameDraft(id, revision, name),
      load: async () => {
        const { draft, marked } = await loadSave(client, id, new AbortController().signal);
        // What is no text is held by no editor, no more than a NUL.
        return { draft, marked: marked ?? "\0" };
      },
      take: ({ marked }) => {
        try {
          editor.put(marked);
          toast("This is the newer version now", "It was saved elsewhere.");
        } catch (error) {
          if (!cannotHold(error)) throw error;
          void client.resetQueries({ queryKey: openingQuery(client, id).queryKey });
        }
      },
      isOwner: async () => (await client.fetchQuery({ ...sessionQuery, staleTime: 0 })).person?.id === ownerId,
      onDraft: (draft) => {
        // A list or an event may have told of a later one.
        client.setQueryData(draftQuery(id).queryKey, (known) =>
          known && known.revision > draft.revision ? known : draft,
        );
      },
      onNameRefused: (problem) => toastError("It was not renamed.", problem),
    },
  );
}

/** Whether this says that the document is none for an editor. */
export function cannotHold(error: unknown): error is LoadError | MarkupError {
  return error instanceof LoadError || error instanceof MarkupError;
}
