/**
 * The spans of a long text by their number, for a list of them: CodeMirror keeps them by their place only. It is taken
 * again a moment after the last change, a little at a time, so that a million spans hold up no key.
 */

import type { Text } from "@codemirror/state";
import type { TextSpan } from "@/marked-text/markup";
import type { LongTextEditor } from "./editor";
import { ranges, spansField } from "./spans";

export interface SpanIndex {
  readonly doc: Text;
  readonly spans: readonly TextSpan[];
}

const PAUSE_MS = 150;
/** How long it works at a stretch, in ms. */
const STRETCH_MS = 8;

export class SpanIndexes {
  readonly #editor: LongTextEditor;
  readonly #listeners = new Set<() => void>();
  #latest: SpanIndex;
  #timer = 0;
  #stop: (() => void) | null = null;

  constructor(editor: LongTextEditor) {
    this.#editor = editor;
    this.#latest = { doc: editor.state.doc, spans: [] };
  }

  readonly latest = (): SpanIndex => this.#latest;

  /** It works only while somebody listens. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    if (this.#listeners.size === 1) {
      this.#stop = this.#editor.onChange(() => this.#later(PAUSE_MS));
      this.#later(0);
    }
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      this.#stop?.();
      clearTimeout(this.#timer);
    };
  };

  #later(wait: number): void {
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => {
      const { doc } = this.#editor.state;
      this.#take({ doc, spans: [] }, ranges(this.#editor.state.field(spansField))[Symbol.iterator]());
    }, wait);
  }

  #take(into: { doc: Text; spans: TextSpan[] }, left: Iterator<TextSpan>): void {
    const until = performance.now() + STRETCH_MS;
    for (let step = 1; step % 1024 !== 0 || performance.now() < until; step++) {
      const { done, value } = left.next();
      if (done) {
        this.#latest = into;
        for (const listener of [...this.#listeners]) listener();
        return;
      }
      into.spans.push(value);
    }
    this.#timer = window.setTimeout(() => this.#take(into, left));
  }
}

/** The number of the span that `pos` is in, or that ends there; -1 if there is none. */
export function indexAt({ spans }: SpanIndex, pos: number): number {
  let low = 0;
  let high = spans.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((spans[middle]?.to ?? 0) < pos) low = middle + 1;
    else high = middle;
  }
  return (spans[low]?.from ?? Number.POSITIVE_INFINITY) <= pos ? low : -1;
}
