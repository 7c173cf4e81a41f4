/**
 * A look that the gateway takes at a long text: it counts code points of the text that it has, and when it answers the
 * text here may be another already. So what was changed since is kept, and each place is moved along.
 */
import type { ChangeDesc, Text } from "@codemirror/state";
import type { TextSpan } from "@/editor/markup";
import { Units } from "@/features/policies/code-points";
import type { LargeEditor } from "@/large/editor";
import { type Spans, spansField } from "@/large/spans";

export class Look {
  readonly #editor: LargeEditor;
  readonly #doc: Text;
  readonly #spans: Spans;
  #units: Units | null = null;
  #since: ChangeDesc | null = null;
  /** Has it no longer follow the text. */
  readonly end: () => void;

  /** At the text as it is now. */
  constructor(editor: LargeEditor) {
    this.#editor = editor;
    this.#doc = editor.state.doc;
    this.#spans = editor.state.field(spansField);
    this.end = editor.onTransaction(({ changes, docChanged }) => {
      if (docChanged) this.#since = this.#since?.composeDesc(changes.desc) ?? changes.desc;
    });
  }

  /** Whether text and spans are as they were looked at. */
  isCurrent(): boolean {
    const { state } = this.#editor;
    return state.doc === this.#doc && state.field(spansField) === this.#spans;
  }

  /** Where code points `start` to `end` of what was looked at stand now; null if they are gone, or never were there. */
  place({ start, end }: { start: number | null; end: number | null }): TextSpan | null {
    if (start === null || end === null) return null;
    this.#units ??= new Units(this.#doc.iter());
    const [from, to] = [this.#units.of(start), this.#units.of(end)];
    if (to > this.#doc.length) return null;
    const place = { from: this.#since?.mapPos(from, 1) ?? from, to: this.#since?.mapPos(to, -1) ?? to };
    return place.to > place.from ? place : null;
  }
}
