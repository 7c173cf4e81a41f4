/** Does what `save-state.ts` says: saves, renames, looks and waits, one at a time. */
import { asProblem, Problem } from "@/api/problem";
import type { DraftShown } from "@/api/types";
import {
  isSettled,
  mayPass,
  next,
  opened,
  type SaveEvent,
  type SaveState,
  type Theirs,
  type Verdict,
} from "./save-state";

/** So many texts are remembered while there is no answer, and of so many UTF-16 code units in all; the last one always. */
const MOST_UNANSWERED = 8;
const MOST_REMEMBERED = 20_000_000;

/** A save as the gateway has it. */
export interface Save {
  readonly draft: DraftShown;
  readonly marked: string;
}

/** A marked text that is long: as it stood at some moment, and no string before somebody needs one. */
export interface LongText {
  readonly length: number;
  /** `other`: of the same editor. */
  equals(other: LongText): boolean;
  marked(): string;
}

export type Marked = string | LongText;

export function markedText(text: Marked): string {
  return typeof text === "string" ? text : text.marked();
}

function isSame(one: Marked, other: Marked): boolean {
  if (typeof one !== "string" && typeof other !== "string") return one.equals(other);
  return markedText(one) === markedText(other);
}

export interface SaverParts {
  /** The marked text as it stands in the editor. */
  text: () => Marked;
  save: (revision: number, marked: Marked) => Promise<DraftShown>;
  rename: (revision: number, name: string) => Promise<DraftShown>;
  /** The latest save of the document. */
  load: () => Promise<Save>;
  /** Puts what somebody else saved into the editor. */
  take: (theirs: Save) => void;
  /** Whether the page's owner is still the one who is signed in; if not, a 404 means nothing. */
  isOwner: () => Promise<boolean>;
  /** The gateway has this save of ours, or that of somebody else is in the editor now. */
  onDraft: (draft: DraftShown) => void;
  onNameRefused: (problem: Problem) => void;
}

export class Saver {
  readonly #parts: SaverParts;
  readonly #listeners = new Set<() => void>();
  #state: SaveState;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #running = false;
  /** What the gateway is known to have. */
  #saved: Marked;
  /** What was sent since then without an answer: it may have come through. */
  #unanswered: Marked[] = [];
  #theirs: Save | null = null;

  constructor(first: { readonly draft: DraftShown; readonly marked: Marked }, parts: SaverParts) {
    this.#parts = parts;
    this.#saved = first.marked;
    this.#state = opened(first.draft.revision);
  }

  /** Nothing is sent before this; `stop` ends it, and it may be started again. */
  start(): void {
    this.#running = true;
    this.#enter();
  }

  stop(): void {
    this.#running = false;
    clearTimeout(this.#timer);
  }

  readonly state = (): SaveState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** The marked text as it stands in the editor. */
  text(): string {
    return markedText(this.#parts.text());
  }

  edited(): void {
    this.#on({ is: "edited" });
  }

  rename(name: string): void {
    this.#on({ is: "renamed", name });
  }

  /** Saves what there is to save, without waiting; resolves when it is saved or that is not possible now. */
  async flush(): Promise<SaveState> {
    this.#on({ is: "hurried" });
    if (!isSettled(this.#state)) {
      await new Promise<void>((resolve) => {
        const stop = this.subscribe(() => {
          if (!isSettled(this.#state)) return;
          stop();
          resolve();
        });
      });
    }
    return this.#state;
  }

  /** Tries again now, if it waits for that. */
  tryAgain(): void {
    if (this.#state.phase.is === "waiting") this.#on({ is: "due" });
  }

  /** The document is said to be at this revision. */
  heard(revision: number): void {
    this.#on({ is: "heard", revision });
  }

  /** The document is said to be gone. */
  async heardDeleted(): Promise<void> {
    const isOwner = await this.#parts.isOwner().catch(() => false);
    if (isOwner) this.#on({ is: "deleted" });
  }

  signedIn(): void {
    this.#on({ is: "signed-in" });
  }

  keepMine(): void {
    this.#on({ is: "kept mine" });
  }

  takeTheirs(): void {
    if (this.#state.phase.is !== "conflict" || !this.#theirs) return;
    const theirs = this.#theirs;
    this.#take(theirs);
    this.#on({ is: "took theirs", revision: theirs.draft.revision });
  }

  /** Gives up what is not saved. */
  drop(): void {
    this.#on({ is: "dropped" });
  }

  #on(event: SaveEvent): void {
    const before = this.#state;
    this.#state = next(before, event, Date.now(), Math.random());
    if (this.#state === before) return;
    if (this.#state.phase !== before.phase) this.#enter();
    // Each key puts the save off, and nobody sees that.
    if (event.is === "edited" && before.phase.is === this.#state.phase.is) return;
    for (const listener of [...this.#listeners]) listener();
  }

  #enter(): void {
    clearTimeout(this.#timer);
    if (!this.#running) return;
    const { phase } = this.#state;
    if (phase.is === "changed" || phase.is === "waiting") {
      this.#timer = setTimeout(() => this.#on({ is: "due" }), Math.max(0, phase.dueAt - Date.now()));
    } else if (phase.is === "saving") void this.#send(phase.name);
    else if (phase.is === "looking") void this.#look();
  }

  async #send(name: string | null): Promise<void> {
    const { revision } = this.#state;
    try {
      if (name !== null) this.#answered(await this.#parts.rename(revision, name));
      else await this.#sendText(revision);
    } catch (error) {
      const problem = asProblem(error);
      const before = this.#state.name;
      await this.#fail(problem);
      if (name !== null && before === name && this.#state.name === null) this.#parts.onNameRefused(problem);
    }
  }

  async #sendText(revision: number): Promise<void> {
    const marked = this.#parts.text();
    if (isSame(marked, this.#saved)) {
      // What was done was undone.
      this.#on({ is: "answered", revision });
      return;
    }
    try {
      const draft = await this.#parts.save(revision, marked);
      this.#has(marked);
      this.#answered(draft);
    } catch (error) {
      if (mayPass(asProblem(error).status) && !this.#unanswered.some((sent) => isSame(sent, marked)))
        this.#unanswered = remembered([...this.#unanswered, marked]);
      throw error;
    }
  }

  #answered(draft: DraftShown): void {
    this.#parts.onDraft(draft);
    this.#on({ is: "answered", revision: draft.revision });
  }

  async #look(): Promise<void> {
    try {
      const theirs = await this.#parts.load();
      if (!this.#running) return;
      this.#theirs = theirs;
      const verdict = this.#judge(theirs.marked);
      if (verdict === "taken") this.#take(theirs);
      else this.#has(theirs.marked);
      if (verdict === "same" || verdict === "sent") this.#parts.onDraft(theirs.draft);
      this.#on({ is: "looked", verdict, theirs: shown(theirs.draft) });
    } catch (error) {
      await this.#fail(asProblem(error));
    }
  }

  #judge(theirs: string): Verdict {
    if (!this.#state.text) return isSame(theirs, this.#saved) ? "same" : "taken";
    if (isSame(theirs, this.#parts.text())) return "same";
    return this.#unanswered.some((sent) => isSame(sent, theirs)) ? "sent" : "conflict";
  }

  #has(marked: Marked): void {
    this.#saved = marked;
    this.#unanswered = [];
  }

  #take(theirs: Save): void {
    this.#parts.take(theirs);
    this.#has(theirs.marked);
    this.#parts.onDraft(theirs.draft);
  }

  async #fail(problem: Problem): Promise<void> {
    const { status, detail } = problem;
    if (status !== 403 && status !== 404) {
      this.#on({ is: "failed", problem });
      return;
    }
    try {
      if (!(await this.#parts.isOwner())) this.#on({ is: "failed", problem: new Problem(401, detail) });
      else this.#on(status === 404 ? { is: "deleted" } : { is: "failed", problem });
    } catch (error) {
      this.#on({ is: "failed", problem: asProblem(error) });
    }
  }
}

function remembered(texts: readonly Marked[]): Marked[] {
  let length = 0;
  const forgotten = texts.findLastIndex((text, index) => {
    length += text.length;
    return length > MOST_REMEMBERED && index < texts.length - 1;
  });
  return texts.slice(Math.max(forgotten + 1, texts.length - MOST_UNANSWERED));
}

function shown({ revision, name, changed_at }: DraftShown): Theirs {
  return { revision, name, changedAt: changed_at };
}
