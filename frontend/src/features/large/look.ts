/**
 * A look that the gateway takes at a long text: it counts code points of the text that it has, and when it answers the
 * text here may be another already. So what was changed since is kept, and each place is moved along.
 */
import type { ChangeDesc, Text } from "@codemirror/state";
import type { TextSpan } from "@/editor/markup";
import { Units } from "@/features/policies/code-points";
import type { LargeEditor } from "@/large/editor";
import { type Spans, spansField } from "@/large/spans";
import { Stretches } from "@/large/stretches";

/** So many UTF-16 code units are counted at once. */
const PIECE = 1 << 17;

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

  /** Counts the text's code points, in stretches. Before that no place is known. */
  async count(): Promise<void> {
    if (this.#units) return;
    const units = new Units();
    const stretches = new Stretches();
    for (let at = 0; at < this.#doc.length; ) {
      let end = Math.min(at + PIECE, this.#doc.length);
      if (/[\ud800-\udbff]/.test(this.#doc.sliceString(end - 1, end, "\n"))) end++;
      units.add(this.#doc.sliceString(at, end, "\n"));
      at = end;
      await stretches.rest();
    }
    this.#units = units;
  }

  /** Whether text and spans are as they were looked at. */
  isCurrent(): boolean {
    return this.isSameText() && this.#editor.state.field(spansField) === this.#spans;
  }

  isSameText(): boolean {
    return this.#editor.state.doc === this.#doc;
  }

  /** Where code points `start` to `end` of what was looked at stand now; null if they are gone, or never were there. */
  place({ start, end }: { start: number | null; end: number | null }): TextSpan | null {
    if (start === null || end === null || !this.#units) return null;
    const [from, to] = [this.#units.of(start), this.#units.of(end)];
    return to > this.#doc.length ? null : this.moved({ from, to });
  }

  /** Where what stood there stands now; null if it is gone. */
  moved({ from, to }: TextSpan): TextSpan | null {
    const place = { from: this.#since?.mapPos(from, 1) ?? from, to: this.#since?.mapPos(to, -1) ?? to };
    return place.to > place.from ? place : null;
  }
}
