/**
 * The live leak guard: what is marked here and unmarked there, a moment after the last key. It looks when typing pauses,
 * so no key waits for it. What somebody leaves as it is stays left until there is more of it, or the page is left.
 */
import type { Editor } from "@tiptap/core";
import type { Node } from "@tiptap/pm/model";
import { type Leak, leaks } from "./engine/leaks";

export interface Findings {
  readonly doc: Node | null;
  readonly open: readonly Leak[];
  /** Places of the open ones. */
  readonly places: number;
  /** How many phrases are left as they are. */
  readonly left: number;
  /** Why, in words of who left them; each with its phrase. */
  readonly reasons: readonly string[];
}

const PAUSE_MS = 40;
const LATEST_MS = 40;
const NOTHING: Findings = { doc: null, open: [], places: 0, left: 0, reasons: [] };

export class LeakWatch {
  readonly #editor: Editor;
  readonly #listeners = new Set<() => void>();
  /** Of each phrase that was left: in how many places, and why. */
  readonly #left = new Map<string, { places: number; why: string }>();
  #all: readonly Leak[] = [];
  #findings = NOTHING;
  #timer = 0;

  constructor(editor: Editor) {
    this.#editor = editor;
  }

  readonly findings = (): Findings => this.#findings;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    if (this.#listeners.size === 1) {
      this.#editor.on("transaction", this.#changed);
      this.#changed();
    }
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      this.#editor.off("transaction", this.#changed);
      window.clearTimeout(this.#timer);
    };
  };

  /** Looks at once, if there is anything new. */
  now(): Findings {
    const { doc } = this.#editor.state;
    if (doc !== this.#findings.doc) {
      this.#all = leaks(doc);
      this.#tell(doc);
    }
    return this.#findings;
  }

  /** All places where this phrase is unmarked now are meant to be. `reason`: why; may be empty. */
  leave({ phrase, places, written }: Leak, reason: string): void {
    this.#left.set(phrase, { places: places.length, why: reason === "" ? "" : `${written}: ${reason}` });
    this.#tell(this.#findings.doc);
  }

  /** Nothing is left any more. */
  takeBack(): void {
    this.#left.clear();
    this.#tell(this.#findings.doc);
  }

  #tell(doc: Node | null): void {
    const isLeft = ({ phrase, places }: Leak) => places.length <= (this.#left.get(phrase)?.places ?? 0);
    const open = this.#all.filter((leak) => !isLeft(leak));
    const places = open.reduce((sum, leak) => sum + leak.places.length, 0);
    const left = this.#all.filter(isLeft);
    const reasons = left.flatMap(({ phrase }) => this.#left.get(phrase)?.why || []);
    this.#findings = { doc, open, places, left: left.length, reasons };
    for (const listener of this.#listeners) listener();
  }

  readonly #changed = (): void => {
    if (this.#editor.state.doc === this.#findings.doc) return;
    window.clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => whenIdle(() => this.#listeners.size > 0 && this.now()), PAUSE_MS);
  };
}

function whenIdle(work: () => void): void {
  // Safari has no idle callbacks.
  if (typeof requestIdleCallback === "function") requestIdleCallback(work, { timeout: LATEST_MS });
  else setTimeout(work, 0);
}
