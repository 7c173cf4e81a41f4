/** The marks of an open file and their undo history. Each change is one step, however many places it has. */
import type { Mark } from "@/api/files";
import { MarkIndex } from "./marks";

const MOST_STEPS = 200;

interface Step {
  readonly marks: readonly Mark[];
  /** The change that led to the next state: "Marked column salary". */
  readonly words: string;
}

export interface Page {
  readonly marks: readonly Mark[];
  readonly index: MarkIndex;
  readonly canUndo: boolean;
  readonly canRedo: boolean;
}

export class MarksBook {
  readonly #listeners = new Set<() => void>();
  #page: Page;
  #past: Step[] = [];
  #future: Step[] = [];

  constructor(marks: readonly Mark[]) {
    this.#page = pageOf(marks, [], []);
  }

  readonly page = (): Page => this.#page;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Replaces the marks; `words` describe the change. Returns false if nothing changed. */
  change(marks: readonly Mark[], words: string): boolean {
    if (marks === this.#page.marks || sameMarks(marks, this.#page.marks)) return false;
    this.#past = [...this.#past, { marks: this.#page.marks, words }].slice(-MOST_STEPS);
    this.#future = [];
    this.#turn(marks);
    return true;
  }

  /** Returns the words of the undone change; null if there is none. */
  undo(): string | null {
    const step = this.#past.at(-1);
    if (!step) return null;
    this.#past = this.#past.slice(0, -1);
    this.#future = [...this.#future, { marks: this.#page.marks, words: step.words }];
    this.#turn(step.marks);
    return step.words;
  }

  redo(): string | null {
    const step = this.#future.at(-1);
    if (!step) return null;
    this.#future = this.#future.slice(0, -1);
    this.#past = [...this.#past, { marks: this.#page.marks, words: step.words }];
    this.#turn(step.marks);
    return step.words;
  }

  /** Takes the marks of another save, and forgets the history, which does not apply to them. */
  take(marks: readonly Mark[]): void {
    this.#past = [];
    this.#future = [];
    this.#turn(marks);
  }

  #turn(marks: readonly Mark[]): void {
    this.#page = pageOf(marks, this.#past, this.#future);
    for (const listener of [...this.#listeners]) listener();
  }
}

function pageOf(marks: readonly Mark[], past: readonly Step[], future: readonly Step[]): Page {
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
