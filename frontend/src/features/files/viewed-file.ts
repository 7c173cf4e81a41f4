/** A file in a view: its parts, what of it is marked, and what of it is selected. */
import { createContext, useContext, useMemo, useSyncExternalStore } from "react";
import type { FileSource } from "@/api/file-source";
import type { Mark, Outline } from "@/api/files";
import { HighlightedPlaces } from "./model/highlighted-places";
import { coverageOf, type MarkCoverage } from "./model/mark-coverage";
import type { Place } from "./model/marks";
import { MarksHistory, type MarksSnapshot } from "./model/marks-history";
import { UnitsStore } from "./units-store";

/** The places that Mark and Unmark apply to. */
export interface Choice {
  readonly places: readonly Place[];
  /** Follows "Marked ": "12 characters", "column salary". */
  readonly words: string;
  /** Nothing is selected: it is the word at the cursor. */
  readonly atCursor?: true;
  /** The chosen text; absent where it is more than one piece of text. */
  readonly text?: string;
  /** For places that other addresses contain, too: a cell is in its column. */
  readonly coverage?: (snapshot: MarksSnapshot) => MarkCoverage;
}

/** Goes to a unit; to these of its code points, if they are not null. `focus`: false leaves the focus where it is. */
export type Jump = (address: string, start: number | null, end: number | null, focus?: boolean) => void;

/** Changes the marks of a file. `words` follow "Marked ". */
export interface Marking {
  mark(places: readonly Place[], words: string): void;
  unmark(places: readonly Place[], words: string): void;
}

/** A file to read. `OpenFile` is one that its author marks. */
export class ViewedFile {
  readonly source: FileSource;
  readonly outline: Outline;
  readonly history: MarksHistory;
  readonly units: UnitsStore;
  readonly highlights = new HighlightedPlaces();
  /** The view of the file replaces it. */
  jump: Jump = () => {};
  /** They read the page's selection at once. Otherwise it is read once per frame, which is too late for the next key. */
  readonly lookers = new Set<() => void>();
  readonly #listeners = new Set<() => void>();
  #choice: Choice | null = null;

  /** `marks`: in canonical order. */
  constructor(source: FileSource, outline: Outline, marks: readonly Mark[]) {
    this.source = source;
    this.outline = outline;
    this.history = new MarksHistory(marks);
    this.units = new UnitsStore(source);
  }

  get format() {
    return this.outline.format;
  }

  /** Null if the file is only read. */
  get marking(): Marking | null {
    return null;
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

  /** The choice at this moment. */
  chosen(): Choice | null {
    for (const look of this.lookers) look();
    return this.#choice;
  }

  coverage(choice: Choice): MarkCoverage {
    const snapshot = this.history.snapshot();
    return choice.coverage?.(snapshot) ?? coverageOf(snapshot.index, choice.places, this.units.lengthOf);
  }
}

export const ViewedFileContext = createContext<ViewedFile | null>(null);

export function useViewedFile(): ViewedFile {
  const file = useContext(ViewedFileContext);
  if (!file) throw new Error("useViewedFile is used outside ViewedFileContext");
  return file;
}

/** The marks as they are now. */
export function useMarks(): MarksSnapshot {
  const { history } = useViewedFile();
  return useSyncExternalStore(history.subscribe, history.snapshot);
}

export function useChoice(): Choice | null {
  const file = useViewedFile();
  return useSyncExternalStore(file.subscribeChoice, file.choice);
}

/** How the choice is marked; null if there is none. */
export function useCoverage(): MarkCoverage | null {
  const file = useViewedFile();
  const choice = useChoice();
  const snapshot = useMarks();
  // biome-ignore lint/correctness/useExhaustiveDependencies: computed again after each change of the marks
  return useMemo(() => choice && file.coverage(choice), [file, choice, snapshot]);
}
