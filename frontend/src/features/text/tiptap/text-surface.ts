/** The short editor as the panels see it: its places are offsets in the text. */
import type { Editor } from "@tiptap/core";
import type { TextSurface, TextTracker } from "@/features/workspace/panels/surface";
import { Units } from "@/lib/code-points";
import type { TextSpan } from "@/marked-text/markup";
import { sameEnds } from "@/marked-text/same-ends";
import type { DocumentWatch } from "./document-watch";
import { comparedText } from "./engine/compared-text";
import { contextOf, standings } from "./engine/occurrences";
import { Highlights, revealCurrent } from "./highlights";

export function textSurface(editor: Editor, watch: DocumentWatch): TextSurface {
  const highlights = new Highlights(editor);
  const change = (command: "markPlaces" | "unmarkPlaces", places: readonly TextSpan[]) => {
    editor.commands[command](inOrder(places));
    watch.now();
  };
  return {
    standings: (places) => standings(editor.state.doc, places),
    mark: (places) => change("markPlaces", places),
    unmark: (places) => change("unmarkPlaces", places),
    track: () => new ShortTextTracker(editor, watch),
    onChange: watch.subscribe,
    highlight: (places, current) => highlights.show(places, current),
    reveal: ({ from }) => revealCurrent(editor, comparedText(editor.state.doc, "exact").positionFrom(from)),
    context: (place) => contextOf(comparedText(editor.state.doc, "exact"), place),
  };
}

function inOrder(places: readonly TextSpan[]): TextSpan[] {
  return [...places].sort((one, other) => one.from - other.from || other.to - one.to);
}

/** What was changed between two looks at the text: `from` to `to` became `length` UTF-16 code units. */
interface Change extends TextSpan {
  readonly length: number;
}

/** Compares the text with itself a moment ago: what is the same at both ends stays where it is. */
class ShortTextTracker implements TextTracker {
  readonly #editor: Editor;
  readonly #text: string;
  readonly #units: Units;
  #latest: string;
  #changes: Change[] = [];
  readonly end: () => void;

  constructor(editor: Editor, watch: DocumentWatch) {
    this.#editor = editor;
    this.#text = this.#latest = textOf(editor);
    this.#units = new Units(this.#text);
    this.end = watch.subscribe(() => this.#follow());
  }

  isSameText(): boolean {
    this.#follow();
    return this.#changes.length === 0;
  }

  async ready(): Promise<void> {}

  place({ start, end }: { start: number | null; end: number | null }): TextSpan | null {
    if (start === null || end === null) return null;
    this.#follow();
    let [from, to] = [this.#units.of(start), this.#units.of(end)];
    if (to > this.#text.length) return null;
    for (const change of this.#changes) {
      const by = change.length - (change.to - change.from);
      // What is typed at an edge is outside of the place.
      if (from >= change.to) from += by;
      else if (from > change.from) from = change.from + change.length;
      if (to > change.from) to = to >= change.to ? to + by : change.from;
    }
    return to > from ? { from, to } : null;
  }

  #follow(): void {
    const text = textOf(this.#editor);
    if (text === this.#latest) return;
    if (text === this.#text) this.#changes = [];
    else {
      const { head, tail } = sameEnds(this.#latest, text);
      this.#changes.push({ from: head, to: this.#latest.length - tail, length: text.length - tail - head });
    }
    this.#latest = text;
  }
}

function textOf({ state }: Editor): string {
  return comparedText(state.doc, "exact").text;
}
