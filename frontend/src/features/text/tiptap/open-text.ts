/** An open text: its editor, what observes the editor, and what saves it. */
import { t } from "@lingui/core/macro";
import type { QueryClient } from "@tanstack/react-query";
import { Editor } from "@tiptap/core";
import { createContext, useContext, useEffect, useSyncExternalStore } from "react";
import { useFindings as useFindingsOf } from "@/features/workspace/panels/FindingsPanel";
import { checkingUnsaved, type Findings, LeakCheck } from "@/features/workspace/panels/leak-check";
import type { TextSurface } from "@/features/workspace/panels/surface";
import type { Save, Saver } from "@/features/workspace/saving/saver";
import { saveNow, useSaverAtWork } from "@/features/workspace/saving/saver-context";
import type { TextSpan } from "@/marked-text/markup";
import { textSaver } from "../text-saver";
import { DocumentWatch, type Watched } from "./document-watch";
import { extensions } from "./engine/extensions";
import { serialise } from "./engine/serialise";
import { replaceDocument } from "./replace-document";
import { textSurface } from "./text-surface";

export interface OpenText {
  readonly id: string;
  readonly editor: Editor;
  readonly watch: DocumentWatch;
  readonly surface: TextSurface;
  readonly leaks: LeakCheck<TextSpan>;
  readonly saver: Saver<string>;
}

const OpenTextContext = createContext<OpenText | null>(null);

export const OpenTextProvider = OpenTextContext.Provider;

export function useOpenText(): OpenText {
  const text = useContext(OpenTextContext);
  if (!text) throw new Error("useOpenText is used outside OpenTextProvider");
  return text;
}

/** Sizes, spans and the document, a moment after each change. */
export function useWatched(): Watched {
  const { watch } = useOpenText();
  return useSyncExternalStore(watch.subscribe, watch.watched);
}

/** A primitive part of that: the component is drawn again only when the part changes. */
export function useWatchedPart<Part extends number | string | boolean>(part: (watched: Watched) => Part): Part {
  const { watch } = useOpenText();
  return useSyncExternalStore(watch.subscribe, () => part(watch.watched()));
}

/** What the gateway finds in the text, soon after typing pauses. */
export function useFindings(): Findings<TextSpan> {
  return useFindingsOf(useOpenText().leaks);
}

/** An editor of this text, not in the page yet. Throws what `load` throws. */
function newEditor(marked: string): Editor {
  return new Editor({
    element: null,
    extensions: extensions(marked),
    injectCSS: false,
    editorProps: {
      attributes: {
        class: "document editor-text",
        "aria-label": t`Text of the document`,
        "aria-multiline": "true",
        spellcheck: "false",
        autocorrect: "off",
        autocapitalize: "off",
        translate: "no",
      },
      // The bars that stick to the top and the bottom cover what is under them.
      scrollMargin: { top: 136, bottom: 120, left: 0, right: 0 },
      scrollThreshold: { top: 136, bottom: 120, left: 0, right: 0 },
    },
  });
}

/** Whether the browser checks the spelling. */
export function checkSpelling(editor: Editor, on: boolean): void {
  const { editorProps } = editor.options;
  const attributes = { ...(editorProps.attributes as Record<string, string>), spellcheck: `${on}` };
  editor.setOptions({ editorProps: { ...editorProps, attributes } });
}

/**
 * Opens a document of this person's.
 *
 * @throws LoadError, MarkupError if the editor does not hold it.
 */
export function openText(client: QueryClient, ownerId: string, save: Save<string>): OpenText {
  const { id } = save.draft;
  const editor = newEditor(save.content);
  const saver = textSaver<string>(client, ownerId, save, {
    content: () => serialise(editor.state.doc),
    opened: save.content,
    equals: (one, other) => one === other,
    marked: (text) => text,
    body: (text) => text,
    replace: (marked) => replaceDocument(editor, marked),
  });
  const watch = new DocumentWatch(editor);
  const surface = textSurface(editor, watch);
  const now = () => editor.state.doc;
  const leaks = new LeakCheck(
    surface,
    checkingUnsaved(id, surface, now, () => serialise(now())),
  );
  return { id, editor, watch, surface, leaks, saver };
}

/** Runs the text's saver and leak check while the page is shown. */
export function useAtWork({ id, editor, leaks, saver }: OpenText): void {
  useSaverAtWork(id, saver);
  useEffect(() => leaks.start(), [leaks]);
  useEffect(() => {
    const changed = (event: {
      transaction: { docChanged: boolean };
      appendedTransactions: { docChanged: boolean }[];
    }) => {
      if (event.transaction.docChanged || event.appendedTransactions.some((tr) => tr.docChanged)) saver.edited();
    };
    const now = () => saveNow(saver);
    editor.on("transaction", changed);
    editor.on("blur", now);
    return () => {
      editor.off("transaction", changed);
      editor.off("blur", now);
    };
  }, [editor, saver]);
}
