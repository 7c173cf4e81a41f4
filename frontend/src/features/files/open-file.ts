/** An open file: its marks, its selection, and what saves it. */
import type { QueryClient } from "@tanstack/react-query";
import { createContext, useContext, useEffect, useMemo, useSyncExternalStore } from "react";
import { type FileDraft, isFile, type Mark, marksOf, type Outline, saveMarks } from "@/api/files";
import { Problem } from "@/api/problem";
import { announce } from "@/components/announce";
import { toast } from "@/components/ui/toasts";
import { checkingSaved, LeakCheck } from "@/features/workspace/panels/leak-check";
import type { Surface } from "@/features/workspace/panels/surface";
import { draftSaver, loadSave } from "../workspace/saving/draft-saver";
import type { Save, Saver } from "../workspace/saving/saver";
import { useSaverAtWork } from "../workspace/saving/saving";
import { fileSurface } from "./file-surface";
import { coverageOf, type MarkCoverage } from "./model/mark-coverage";
import { canonical, marked, type Place, unmarked } from "./model/marks";
import { MarksHistory, type MarksSnapshot, sameMarks } from "./model/marks-history";
import { UnitsStore } from "./units-store";

/** The places that Mark and Unmark apply to. */
export interface Choice {
  readonly places: readonly Place[];
  /** Follows "Marked ": "12 characters", "column salary". */
  readonly words: string;
  /** For places that other addresses contain, too: a cell is in its column. */
  readonly coverage?: (snapshot: MarksSnapshot) => MarkCoverage;
}

/** Goes to a unit; to these of its code points, if they are not null. */
export type Jump = (address: string, start: number | null, end: number | null) => void;

/** About what a mark takes in memory. */
const MARK_BYTES = 100;
/** Larger files are checked for leaks only on request. */
const MOST_CHECKED_BYTES = 2_000_000;

export class OpenFile {
  readonly id: string;
  readonly outline: Outline;
  readonly history: MarksHistory;
  readonly saver: Saver<readonly Mark[]>;
  readonly units: UnitsStore;
  readonly surface: Surface<Place>;
  readonly leaks: LeakCheck<Place>;
  /** Whether the gateway checks it for leaks only on request, because that takes seconds. */
  readonly isLarge: boolean;
  /** The view of the file replaces it. */
  jump: Jump = () => {};
  /** They read the page's selection at once. Otherwise it is read once per frame, which is too late for the next key. */
  readonly lookers = new Set<() => void>();
  readonly #listeners = new Set<() => void>();
  #choice: Choice | null = null;

  constructor(client: QueryClient, ownerId: string, opened: Opened) {
    const { draft, outline } = opened;
    this.id = draft.id;
    this.outline = outline;
    this.history = new MarksHistory(opened.content);
    this.units = new UnitsStore(draft.id);
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
        toast("These are now the newer marks", "The marks were saved elsewhere.");
      },
    });
    history.subscribe(() => this.saver.edited());
    this.surface = fileSurface(this);
    this.isLarge = draft.document_bytes > MOST_CHECKED_BYTES;
    const byItself = this.isChecked && !this.isLarge;
    this.leaks = new LeakCheck(this.surface, checkingSaved(id, this.surface, this.saver, { pauseMs: 200, byItself }));
  }

  get format() {
    return this.outline.format;
  }

  /** Whether the leak check can read the file. */
  get isChecked(): boolean {
    return this.format !== "bytes";
  }

  readonly choice = (): Choice | null => this.#choice;

  readonly subscribeChoice = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  choose(choice: Choice | null): void {
    if (choice === this.#choice) return;
    this.#choice = choice;
    for (const listener of [...this.#listeners]) listener();
  }

  /** Marks these places, and announces "Marked 3 rows". */
  mark(places: readonly Place[], words: string): void {
    this.#change(marked(this.history.snapshot().marks, places), `Marked ${words}`, "That is already marked");
  }

  /** Adds marks with their rules, labels and reasons. */
  add(marks: readonly Mark[], words: string): void {
    const all = canonical([...this.history.snapshot().marks, ...marks]);
    this.#change(all, `Marked ${words}`, "That is already marked");
  }

  unmark(places: readonly Place[], words: string): void {
    const left = unmarked(this.history.snapshot().marks, places, this.units.lengthOf);
    this.#change(left, `Unmarked ${words}`, "That has no mark of its own");
  }

  /** The choice at this moment. */
  chosen(): Choice | null {
    for (const look of this.lookers) look();
    return this.#choice;
  }

  /** Marks the choice, or unmarks it if nothing of it is plain. */
  toggle(): void {
    const choice = this.chosen();
    if (!choice) {
      announce("Select something to mark first.");
      return;
    }
    const { all, some } = this.coverage(choice);
    if (all && some) this.unmark(choice.places, choice.words);
    else this.mark(choice.places, choice.words);
  }

  coverage(choice: Choice): MarkCoverage {
    const snapshot = this.history.snapshot();
    return choice.coverage?.(snapshot) ?? coverageOf(snapshot.index, choice.places, this.units.lengthOf);
  }

  undo(): void {
    const words = this.history.undo();
    announce(words === null ? "Nothing to undo" : `Undone: ${words}`);
  }

  redo(): void {
    const words = this.history.redo();
    announce(words === null ? "Nothing to redo" : `Redone: ${words}`);
  }

  /** Replaces all marks in one step. */
  replace(marks: readonly Mark[], words: string): void {
    this.#change(canonical(marks), words, "Nothing changed");
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
  if (!isFile(draft)) throw new Problem(409, "This document is now text. Reload the page.");
  return { draft, content };
}

const OpenFileContext = createContext<OpenFile | null>(null);

export const OpenFileProvider = OpenFileContext.Provider;

export function useOpenFile(): OpenFile {
  const file = useContext(OpenFileContext);
  if (!file) throw new Error("useOpenFile is used outside OpenFileProvider");
  return file;
}

/** The marks as they are now. */
export function useMarks(): MarksSnapshot {
  const { history } = useOpenFile();
  return useSyncExternalStore(history.subscribe, history.snapshot);
}

export function useChoice(): Choice | null {
  const file = useOpenFile();
  return useSyncExternalStore(file.subscribeChoice, file.choice);
}

/** How the choice is marked; null if there is none. */
export function useCoverage(): MarkCoverage | null {
  const file = useOpenFile();
  const choice = useChoice();
  const snapshot = useMarks();
  // biome-ignore lint/correctness/useExhaustiveDependencies: computed again after each change of the marks
  return useMemo(() => choice && file.coverage(choice), [file, choice, snapshot]);
}

/** Runs the file's saver, leak check and loading while the page is shown. */
export function useAtWork(file: OpenFile): void {
  useSaverAtWork(file.id, file.saver);
  useEffect(() => file.leaks.start(), [file]);
  useEffect(() => () => file.units.stop(), [file]);
}
