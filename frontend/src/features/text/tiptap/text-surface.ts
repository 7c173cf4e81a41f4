/** The short editor as the panels see it: its places are offsets in the text. */
import type { Editor } from "@tiptap/core";
import { inTextOrder, type TextSurface, type TextTracker } from "@/features/workspace/panels/surface";
import { Units } from "@/lib/code-points";
import type { TextSpan } from "@/marked-text/markup";
import { sameEnds } from "@/marked-text/same-ends";
import type { DocumentWatch } from "./document-watch";
import { placeStates, textSpans } from "./engine/bulk";
import { textRange } from "./engine/insert";
import { textMap } from "./engine/text-map";
import { Highlights, revealCurrent } from "./highlights";
import { Underlines } from "./underlines";

export function textSurface(editor: Editor, watch: DocumentWatch): TextSurface {
  const highlights = new Highlights(editor);
  const underlines = new Underlines(editor);
  const map = () => textMap(editor.state.doc);
  const change = (command: "markPlaces" | "unmarkPlaces", places: readonly TextSpan[]) => {
    editor.commands[command](places.toSorted(inTextOrder));
    watch.now();
  };
  return {
    text: () => map().text,
    selection: () => {
      const { from, to } = textRange(editor.state.doc, editor.state.selection);
      return { from: map().offsetOf(from), to: map().offsetOf(to) };
    },
    spans: () => {
      const spans = textSpans(editor.state.doc);
      return { count: spans.length, inOrder: () => spans };
    },
    order: inTextOrder,
    states: (places) => placeStates(editor.state.doc, places),
    mark: (places) => change("markPlaces", places),
    unmark: (places) => change("unmarkPlaces", places),
    select: ({ from, to }) => {
      const range = { from: map().positionFrom(from), to: map().positionTo(to) };
      // At once: TipTap's own way waits for a frame, and the next key would go elsewhere.
      editor.view.focus();
      editor.chain().setTextSelection(range).scrollIntoView().run();
    },
    track: () => new ShortTextTracker(editor, watch),
    onChange: watch.subscribe,
    highlight: (places, current) => highlights.show(places, current),
    underline: (places) => underlines.show(places),
    reveal: ({ from }) => revealCurrent(editor, map().positionFrom(from)),
  };
}

/** The change between two readings of the text: `from` to `to` became `length` UTF-16 code units. */
interface Change extends TextSpan {
  readonly length: number;
}

/** Compares the text with the one a moment ago: text that is the same at both ends stays where it is. */
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
    const [from, to] = [this.#units.of(start), this.#units.of(end)];
    return to > this.#text.length ? null : this.moved({ from, to });
  }

  moved({ from, to }: TextSpan): TextSpan | null {
    this.#follow();
    const now = { from, to };
    for (const change of this.#changes) {
      const by = change.length - (change.to - change.from);
      // Text that is typed at an edge is outside the place.
      if (now.from >= change.to) now.from += by;
      else if (now.from > change.from) now.from = change.from + change.length;
      if (now.to > change.from) now.to = now.to >= change.to ? now.to + by : change.from;
    }
    return now.to > now.from ? now : null;
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
  return textMap(state.doc).text;
}
