/** The marks of an open file and their undo history. Each change is one step, however many places it has. */
import type { Mark } from "@/api/files";
import { MarkIndex } from "./marks";

const MOST_STEPS = 200;

interface Step {
  readonly marks: readonly Mark[];
  /** The change that led to the next state: "Marked column salary". */
  readonly words: string;
}

export interface MarksSnapshot {
  readonly marks: readonly Mark[];
  readonly index: MarkIndex;
  readonly canUndo: boolean;
  readonly canRedo: boolean;
}

export class MarksHistory {
  readonly #listeners = new Set<() => void>();
  #snapshot: MarksSnapshot;
  #past: Step[] = [];
  #future: Step[] = [];

  constructor(marks: readonly Mark[]) {
    this.#snapshot = snapshotOf(marks, [], []);
  }

  readonly snapshot = (): MarksSnapshot => this.#snapshot;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Replaces the marks; `words` describe the change. Returns false if nothing changed. */
  change(marks: readonly Mark[], words: string): boolean {
    if (marks === this.#snapshot.marks || sameMarks(marks, this.#snapshot.marks)) return false;
    this.#past = [...this.#past, { marks: this.#snapshot.marks, words }].slice(-MOST_STEPS);
    this.#future = [];
    this.#replaceMarks(marks);
    return true;
  }

  /** Returns the words of the undone change; null if there is none. */
  undo(): string | null {
    const step = this.#past.at(-1);
    if (!step) return null;
    this.#past = this.#past.slice(0, -1);
    this.#future = [...this.#future, { marks: this.#snapshot.marks, words: step.words }];
    this.#replaceMarks(step.marks);
    return step.words;
  }

  redo(): string | null {
    const step = this.#future.at(-1);
    if (!step) return null;
    this.#future = this.#future.slice(0, -1);
    this.#past = [...this.#past, { marks: this.#snapshot.marks, words: step.words }];
    this.#replaceMarks(step.marks);
    return step.words;
  }

  /** Takes the marks of another save, and forgets the history, which does not apply to them. */
  take(marks: readonly Mark[]): void {
    this.#past = [];
    this.#future = [];
    this.#replaceMarks(marks);
  }

  #replaceMarks(marks: readonly Mark[]): void {
    this.#snapshot = snapshotOf(marks, this.#past, this.#future);
    for (const listener of [...this.#listeners]) listener();
  }
}

function snapshotOf(marks: readonly Mark[], past: readonly Step[], future: readonly Step[]): MarksSnapshot {
  return { marks, index: new MarkIndex(marks), canUndo: past.length > 0, canRedo: future.length > 0 };
}

export function sameMarks(one: readonly Mark[], other: readonly Mark[]): boolean {
  return (
    one.length === other.length &&
    one.every((mark, index) => {
      const there = other[index];
      return (
        there !== undefined &&
        mark.address === there.address &&
        mark.start === there.start &&
        mark.end === there.end &&
        mark.label === there.label &&
        mark.rule === there.rule &&
        mark.reason === there.reason
      );
    })
  );
}
