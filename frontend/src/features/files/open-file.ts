/** An open file: its marks, its selection, and what saves it. */
import { t } from "@lingui/core/macro";
import type { QueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { draftSource } from "@/api/file-source";
import { type FileDraft, isFile, type Mark, marksOf, type Outline, saveMarks } from "@/api/files";
import { Problem } from "@/api/problem";
import { announce } from "@/components/announce";
import { toast } from "@/components/ui/toasts";
import { checkingSaved, LeakCheck } from "@/features/workspace/panels/leak-check";
import type { Surface } from "@/features/workspace/panels/surface";
import { draftSaver, loadSave } from "../workspace/saving/draft-saver";
import type { Save, Saver } from "../workspace/saving/saver";
import { useSaverAtWork } from "../workspace/saving/saver-context";
import { fileSurface } from "./file-surface";
import { canonical, marked, type Place, unmarked } from "./model/marks";
import { sameMarks } from "./model/marks-history";
import { type Marking, useViewedFile, ViewedFile, ViewedFileContext } from "./viewed-file";

/** About what a mark takes in memory. */
const MARK_BYTES = 100;
/** A longer choice is not a phrase to find. */
const MOST_PHRASE = 200;
/** Larger files are checked for leaks only on request. */
const MOST_CHECKED_BYTES = 2_000_000;

export class OpenFile extends ViewedFile {
  readonly id: string;
  readonly saver: Saver<readonly Mark[]>;
  readonly surface: Surface<Place>;
  readonly leaks: LeakCheck<Place>;
  /** Whether the gateway checks it for leaks only on request, because that takes seconds. */
  readonly isLarge: boolean;

  constructor(client: QueryClient, ownerId: string, opened: Opened) {
    const { draft, outline } = opened;
    super(draftSource(draft.id), outline, opened.content);
    this.id = draft.id;
    const { id, history } = this;
    this.saver = draftSaver(client, ownerId, opened, {
      content: () => history.snapshot().marks,
      equals: sameMarks,
      size: (marks) => marks.length * MARK_BYTES,
      save: (revision, marks) => saveMarks(id, revision, marks),
      load: () => loadMarks(client, id, new AbortController().signal),
      take: ({ content }) => {
        if (content === null) return;
        history.take(content);
        toast(t`These are now the newer marks`, t`The marks were saved elsewhere.`);
      },
    });
    history.subscribe(() => this.saver.edited());
    this.surface = fileSurface(this);
    this.isLarge = draft.document_bytes > MOST_CHECKED_BYTES;
    const byItself = this.isChecked && !this.isLarge;
    this.leaks = new LeakCheck(this.surface, checkingSaved(id, this.surface, this.saver, { pauseMs: 200, byItself }));
  }

  /** Whether the leak check can read the file. */
  get isChecked(): boolean {
    return this.format !== "bytes";
  }

  override get marking(): Marking {
    return this;
  }

  /** Marks these places, and announces "Marked 3 rows". */
  mark(places: readonly Place[], words: string): void {
    this.#change(marked(this.history.snapshot().marks, places), t`Marked ${words}`, t`That is already marked`);
  }

  /** Adds marks with their rules, labels and reasons. */
  add(marks: readonly Mark[], words: string): void {
    const all = canonical([...this.history.snapshot().marks, ...marks]);
    this.#change(all, t`Marked ${words}`, t`That is already marked`);
  }

  unmark(places: readonly Place[], words: string): void {
    const left = unmarked(this.history.snapshot().marks, places, this.units.lengthOf);
    this.#change(left, t`Unmarked ${words}`, t`That has no mark of its own`);
  }

  /** The chosen text as a phrase to find; empty if nothing is chosen, or much. */
  chosenText(): string {
    const text = this.chosen()?.text?.replace(/\s+/g, " ").trim() ?? "";
    return text.length > MOST_PHRASE ? "" : text;
  }

  /** Marks the choice, or unmarks it if nothing of it is plain. */
  toggle(): void {
    const choice = this.chosen();
    if (!choice) {
      announce(t`Select something to mark first.`);
      return;
    }
    const { all, some } = this.coverage(choice);
    if (all && some) this.unmark(choice.places, choice.words);
    else this.mark(choice.places, choice.words);
  }

  undo(): void {
    const words = this.history.undo();
    announce(words === null ? t`Nothing to undo` : t`Undone: ${words}`);
  }

  redo(): void {
    const words = this.history.redo();
    announce(words === null ? t`Nothing to redo` : t`Redone: ${words}`);
  }

  /** Replaces all marks in one step. */
  replace(marks: readonly Mark[], words: string): void {
    this.#change(canonical(marks), words, t`Nothing changed`);
  }

  #change(marks: readonly Mark[], words: string, otherwise: string): void {
    announce(this.history.change(marks, words) ? words : otherwise);
  }
}

/** A file as it was loaded. */
export interface Opened extends Save<readonly Mark[]> {
  readonly draft: FileDraft;
  readonly outline: Outline;
}

/** The latest marks, and the row of the same revision. */
export async function loadMarks(
  client: QueryClient,
  id: string,
  signal: AbortSignal,
): Promise<Save<readonly Mark[]> & { readonly draft: FileDraft }> {
  const { draft, content } = await loadSave(client, id, async () => {
    const { marks, revision } = await marksOf(id, signal);
    return { content: canonical(marks), revision };
  });
  if (!isFile(draft)) throw new Problem(409, t`This document is now text. Reload the page.`);
  return { draft, content };
}

export const OpenFileProvider = ViewedFileContext.Provider;

/** The file that the page is about, if its author marks it here. */
export function useOpenFile(): OpenFile {
  const file = useViewedFile();
  if (!(file instanceof OpenFile)) throw new Error("useOpenFile is used for a file that is only read");
  return file;
}

/** Runs the file's saver, leak check and loading while the page is shown. */
export function useAtWork(file: OpenFile): void {
  useSaverAtWork(file.id, file.saver);
  useEffect(() => file.leaks.start(), [file]);
  useEffect(() => () => file.units.stop(), [file]);
}
