import type { Editor } from "@tiptap/core";
import { drawHighlights } from "@/lib/text-highlights";
import type { TextSpan } from "@/marked-text/markup";
import { textMap } from "./engine/text-map";

/** The leak check answers with fewer. */
const MOST_DRAWN = 2000;

/** Underlines places of the text. Nothing in the editor changes, so that neither typing nor a composition is disturbed. */
export class Underlines {
  readonly #editor: Editor;
  #frame = 0;

  constructor(editor: Editor) {
    this.#editor = editor;
  }

  /** Shows these places of the text as it is now, instead of those before. */
  show(places: readonly TextSpan[]): void {
    cancelAnimationFrame(this.#frame);
    if (places.length === 0) {
      drawHighlights("finding", []);
      return;
    }
    const { doc } = this.#editor.state;
    // Once the page shows the text as it is now.
    this.#frame = requestAnimationFrame(() => {
      const editor = this.#editor;
      // Changed since: the places in the new text come in a moment.
      if (editor.isDestroyed || editor.state.doc !== doc) return;
      const map = textMap(doc);
      drawHighlights(
        "finding",
        places.slice(0, MOST_DRAWN).map(({ from, to }) => this.#rangeOf(map.positionFrom(from), map.positionTo(to))),
      );
    });
  }

  #rangeOf(from: number, to: number): Range {
    const { view } = this.#editor;
    const [start, end] = [view.domAtPos(from, 1), view.domAtPos(to, -1)];
    const range = document.createRange();
    range.setStart(start.node, start.offset);
    range.setEnd(end.node, end.offset);
    return range;
  }
}
