/** Does what `save-state.ts` says: saves, renames, compares and waits, one at a time. */
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

/** How many contents are remembered while there is no answer, and how large they may be in all; the last one always is. */
const MOST_UNANSWERED = 8;
const MOST_REMEMBERED = 20_000_000;

/** A document and what it holds, as the gateway has it. */
export interface Save<Content> {
  readonly draft: DraftShown;
  readonly content: Content;
}

/** What a saver asks of the page and of the gateway. `Content` is what the page edits: a text, or the marks of a file. */
export interface SaverParts<Content> {
  /** The content of the page now. */
  content: () => Content;
  equals: (one: Content, other: Content) => boolean;
  /** About how many bytes the content takes in memory. */
  size: (content: Content) => number;
  save: (revision: number, content: Content) => Promise<DraftShown>;
  rename: (revision: number, name: string) => Promise<DraftShown>;
  /** The latest save of the document; its content is null if this page cannot edit it. */
  load: () => Promise<Save<Content | null>>;
  /** Puts what somebody else saved into the page. */
  take: (theirs: Save<Content | null>) => void;
  /** Whether the page's owner is still signed in; if not, a 404 says nothing about the document. */
  isOwner: () => Promise<boolean>;
  /** The gateway has our save, or the page shows somebody else's. */
  onDraft: (draft: DraftShown) => void;
  onNameRefused: (problem: Problem) => void;
}

/** A saver of any content, for what only watches or hurries it. */
export type AnySaver = Pick<Saver<unknown>, keyof Saver<unknown>>;

export class Saver<Content> {
  readonly #parts: SaverParts<Content>;
  readonly #listeners = new Set<() => void>();
  #state: SaveState;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #running = false;
  /** What the gateway is known to have. */
  #saved: Content | null;
  /** What was sent since then without an answer: it may have come through. */
  #unanswered: Content[] = [];
  #theirs: Save<Content | null> | null = null;

  constructor(first: Save<Content>, parts: SaverParts<Content>) {
    this.#parts = parts;
    this.#saved = first.content;
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
    else if (phase.is === "comparing") void this.#compare();
  }

  async #send(name: string | null): Promise<void> {
    const { revision } = this.#state;
    try {
      if (name !== null) this.#answered(await this.#parts.rename(revision, name));
      else await this.#sendContent(revision);
    } catch (error) {
      const problem = asProblem(error);
      const before = this.#state.name;
      await this.#fail(problem);
      if (name !== null && before === name && this.#state.name === null) this.#parts.onNameRefused(problem);
    }
  }

  async #sendContent(revision: number): Promise<void> {
    const content = this.#parts.content();
    if (this.#isSame(content, this.#saved)) {
      // What was done was undone.
      this.#on({ is: "answered", revision });
      return;
    }
    try {
      const draft = await this.#parts.save(revision, content);
      this.#has(content);
      this.#answered(draft);
    } catch (error) {
      if (mayPass(asProblem(error).status) && !this.#unanswered.some((sent) => this.#isSame(sent, content)))
        this.#unanswered = this.#remembered([...this.#unanswered, content]);
      throw error;
    }
  }

  #answered(draft: DraftShown): void {
    this.#parts.onDraft(draft);
    this.#on({ is: "answered", revision: draft.revision });
  }

  async #compare(): Promise<void> {
    try {
      const theirs = await this.#parts.load();
      if (!this.#running) return;
      this.#theirs = theirs;
      const verdict = this.#judge(theirs.content);
      if (verdict === "taken") this.#take(theirs);
      else this.#has(theirs.content);
      if (verdict === "same" || verdict === "sent") this.#parts.onDraft(theirs.draft);
      this.#on({ is: "compared", verdict, theirs: shown(theirs.draft) });
    } catch (error) {
      await this.#fail(asProblem(error));
    }
  }

  #judge(theirs: Content | null): Verdict {
    if (!this.#state.text) return this.#isSame(theirs, this.#saved) ? "same" : "taken";
    if (this.#isSame(theirs, this.#parts.content())) return "same";
    return this.#unanswered.some((sent) => this.#isSame(sent, theirs)) ? "sent" : "conflict";
  }

  #isSame(one: Content | null, other: Content | null): boolean {
    return one !== null && other !== null && this.#parts.equals(one, other);
  }

  #has(content: Content | null): void {
    this.#saved = content;
    this.#unanswered = [];
  }

  #take(theirs: Save<Content | null>): void {
    this.#parts.take(theirs);
    this.#has(theirs.content);
    this.#parts.onDraft(theirs.draft);
  }

  #remembered(contents: readonly Content[]): Content[] {
    let size = 0;
    const forgotten = contents.findLastIndex((content, index) => {
      size += this.#parts.size(content);
      return size > MOST_REMEMBERED && index < contents.length - 1;
    });
    return contents.slice(Math.max(forgotten + 1, contents.length - MOST_UNANSWERED));
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

function shown({ revision, name, changed_at }: DraftShown): Theirs {
  return { revision, name, changedAt: changed_at };
}
