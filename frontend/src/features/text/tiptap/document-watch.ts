/**
 * What the page around the editor shows of the whole document: sizes, spans, the plain text. It is updated when the
 * browser is idle, within a tenth of a second, so that no key waits for it.
 */
import type { Editor } from "@tiptap/core";
import type { Node } from "@tiptap/pm/model";
import { type Span, spans } from "./engine/queries";
import { type Counts, counts } from "./engine/serialise";

export interface Watched {
  readonly doc: Node;
  readonly counts: Counts;
  readonly spans: readonly Span[];
}

const LATEST_MS = 100;

export class DocumentWatch {
  readonly #editor: Editor;
  readonly #listeners = new Set<() => void>();
  #watched: Watched;
  #waits = false;

  constructor(editor: Editor) {
    this.#editor = editor;
    this.#watched = read(editor.state.doc);
  }

  readonly watched = (): Watched => this.#watched;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    if (this.#listeners.size === 1) this.#editor.on("transaction", this.#changed);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#editor.off("transaction", this.#changed);
    };
  };

  /** Updates at once, if the document has changed. */
  now(): Watched {
    const { doc } = this.#editor.state;
    if (doc !== this.#watched.doc) {
      this.#watched = read(doc);
      for (const listener of this.#listeners) listener();
    }
    return this.#watched;
  }

  readonly #changed = (): void => {
    if (this.#waits || this.#editor.state.doc === this.#watched.doc) return;
    this.#waits = true;
    whenIdle(() => {
      this.#waits = false;
      this.now();
    });
  };
}

function read(doc: Node): Watched {
  return { doc, counts: counts(doc), spans: spans(doc) };
}

function whenIdle(work: () => void): void {
  // Safari has no idle callbacks.
  if (typeof requestIdleCallback === "function") requestIdleCallback(work, { timeout: LATEST_MS });
  else setTimeout(work, 16);
}
