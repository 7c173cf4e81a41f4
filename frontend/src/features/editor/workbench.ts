/** An open document: its editor, what follows the editor, and what saves it. */
import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { Editor } from "@tiptap/core";
import { createContext, useContext, useEffect, useEffectEvent, useSyncExternalStore } from "react";
import { draftQuery, renameDraft, saveDraft } from "@/api/drafts";
import { sessionQuery } from "@/api/session";
import { useLiveEvent, useLiveState } from "@/app/live";
import { useSession } from "@/app/session";
import { toast, toastError } from "@/components/ui/toasts";
import { extensions } from "@/editor/extensions";
import { LoadError } from "@/editor/load";
import { MarkupError } from "@/editor/markup";
import { serialise } from "@/editor/serialise";
import { DocumentWatch, type Watched } from "./document-watch";
import { type Findings, LeakWatch } from "./leak-watch";
import { loadSave, openingQuery } from "./opening";
import { isUnsaved, type SaveState } from "./save-state";
import { type Save, Saver } from "./saver";
import { takeIn } from "./take-in";

export interface Workbench {
  readonly id: string;
  readonly editor: Editor;
  readonly watch: DocumentWatch;
  readonly leaks: LeakWatch;
  readonly saver: Saver;
}

const WorkbenchContext = createContext<Workbench | null>(null);

export const WorkbenchProvider = WorkbenchContext.Provider;

export function useWorkbench(): Workbench {
  const workbench = useContext(WorkbenchContext);
  if (!workbench) throw new Error("useWorkbench is used outside WorkbenchProvider");
  return workbench;
}

export function useSaveState(): SaveState {
  const { saver } = useWorkbench();
  return useSyncExternalStore(saver.subscribe, saver.state);
}

/** Sizes, spans and the document, a moment after each change. */
export function useWatched(): Watched {
  const { watch } = useWorkbench();
  return useSyncExternalStore(watch.subscribe, watch.watched);
}

/** A part of that, where the page is drawn anew only when the part is another; a number, a string, a truth. */
export function useWatchedPart<Part extends number | string | boolean>(part: (watched: Watched) => Part): Part {
  const { watch } = useWorkbench();
  return useSyncExternalStore(watch.subscribe, () => part(watch.watched()));
}

/** What is marked in one place and unmarked in another, a moment after typing pauses. */
export function useFindings(): Findings {
  const { leaks } = useWorkbench();
  return useSyncExternalStore(leaks.subscribe, leaks.findings);
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
        "aria-label": "Text of the document",
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

/**
 * The workbench of a document of this person's.
 *
 * @throws LoadError, MarkupError if the editor does not hold it.
 */
export function newWorkbench(client: QueryClient, ownerId: string, save: Save): Workbench {
  const { id } = save.draft;
  const editor = newEditor(save.marked);
  const load = async (): Promise<Save> => {
    const { draft, marked } = await loadSave(client, id, new AbortController().signal);
    // What is no text is held by no editor, no more than a NUL.
    return { draft, marked: marked ?? "\0" };
  };
  const saver = new Saver(save, {
    text: () => serialise(editor.state.doc),
    save: (revision, marked) => saveDraft(id, revision, "marked", marked),
    rename: (revision, name) => renameDraft(id, revision, name),
    load,
    take: ({ marked }) => {
      try {
        takeIn(editor, marked);
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
  });
  return { id, editor, watch: new DocumentWatch(editor), leaks: new LeakWatch(editor), saver };
}

/** Has the workbench at work while the page is shown. */
export function useAtWork({ id, editor, saver }: Workbench): void {
  const client = useQueryClient();
  const { standing } = useSession();

  useEffect(() => {
    const changed = (event: {
      transaction: { docChanged: boolean };
      appendedTransactions: { docChanged: boolean }[];
    }) => {
      if (event.transaction.docChanged || event.appendedTransactions.some((tr) => tr.docChanged)) saver.edited();
    };
    const now = () => {
      if (saver.state().phase.is === "changed") void saver.flush();
    };
    const hidden = () => document.visibilityState === "hidden" && now();
    const again = () => saver.tryAgain();
    saver.start();
    editor.on("transaction", changed);
    editor.on("blur", now);
    document.addEventListener("visibilitychange", hidden);
    window.addEventListener("online", again);
    return () => {
      saver.stop();
      editor.off("transaction", changed);
      editor.off("blur", now);
      document.removeEventListener("visibilitychange", hidden);
      window.removeEventListener("online", again);
    };
  }, [editor, saver]);

  useLiveEvent("draft", (event) => {
    if (event.id !== id) return;
    if (event.revision === null) void saver.heardDeleted();
    else saver.heard(event.revision);
  });
  const live = useLiveState();
  useEffect(() => {
    if (live === "live") saver.tryAgain();
  }, [live, saver]);

  // Whenever the gateway has said who is signed in, a save that waits for that may go on.
  const signedIn = useEffectEvent(() => standing.is === "held" && saver.signedIn());
  useEffect(() => {
    if (standing.is === "held") saver.signedIn();
    return client.getQueryCache().subscribe(({ type, query }) => {
      if (type === "updated" && query.queryKey[0] === sessionQuery.queryKey[0]) queueMicrotask(signedIn);
    });
  }, [client, saver, standing.is]);
}

/** Whether this says that the document is none for the editor. */
export function cannotHold(error: unknown): error is LoadError | MarkupError {
  return error instanceof LoadError || error instanceof MarkupError;
}

/** Whether closing the page would lose something. */
export function wouldLose(saver: Saver): boolean {
  return isUnsaved(saver.state());
}
