/** Loads and saves one of this person's texts, in either editor. */
import { t } from "@lingui/core/macro";
import type { QueryClient } from "@tanstack/react-query";
import { draftContent, saveDraft } from "@/api/drafts";
import { toast } from "@/components/ui/toasts";
import { LoadError } from "@/marked-text/limits";
import { decode, MarkupError, NotUtf8 } from "@/marked-text/markup";
import { draftSaver, loadSave } from "../workspace/saving/draft-saver";
import type { Save, Saver } from "../workspace/saving/saver";

/** The query key of the loaded document `id`. */
export const openingKey = (id: string) => ["content", "opening", id] as const;

/** Whether this says that no editor can hold the document. */
export function cannotHold(error: unknown): error is LoadError | MarkupError {
  return error instanceof LoadError || error instanceof MarkupError;
}

/** What an editor does for its saver. `Text`: marked text, in the editor's own form or as a string. */
interface TextEditor<Text> {
  content: () => Text;
  /** The content at the start. */
  opened: Text;
  equals: (one: Text | string, other: Text | string) => boolean;
  marked: (text: Text | string) => string;
  /** The marked text, to be sent. */
  body: (text: Text | string) => Promise<Blob> | string;
  /**
   * Replaces the text by this marked text.
   *
   * @throws LoadError, MarkupError if the editor cannot hold it.
   */
  replace: (marked: string) => void;
}

export function textSaver<Text extends { readonly length: number }>(
  client: QueryClient,
  ownerId: string,
  { draft }: Save<string>,
  { content, opened, equals, marked, body, replace }: TextEditor<Text>,
): Saver<Text | string> {
  const { id } = draft;
  return draftSaver<Text | string>(
    client,
    ownerId,
    { draft, content: opened },
    {
      content,
      equals,
      size: ({ length }) => length,
      save: async (revision, text) => saveDraft(id, revision, "marked", await body(text)),
      load: () => loadText(client, id, new AbortController().signal),
      take: ({ content }) => {
        // The page opens it again, and shows it as it can.
        const reopen = () => void client.resetQueries({ queryKey: openingKey(id) });
        if (content === null) return reopen();
        try {
          replace(marked(content));
          toast(t`This is now the newer version`, t`The document was saved elsewhere.`);
        } catch (error) {
          if (!cannotHold(error)) throw error;
          reopen();
        }
      },
    },
  );
}

/** The latest save of a text; its content is null if that is not UTF-8. */
export function loadText(client: QueryClient, id: string, signal: AbortSignal): Promise<Save<string | null>> {
  return loadSave(client, id, async () => {
    const { content, revision } = await draftContent(id, "marked", signal);
    return { content: textOf(content), revision };
  });
}

function textOf(bytes: Uint8Array<ArrayBuffer>): string | null {
  try {
    return decode(bytes);
  } catch (error) {
    if (error instanceof NotUtf8) return null;
    throw error;
  }
}
