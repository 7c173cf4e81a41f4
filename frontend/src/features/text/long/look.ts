/**
 * A look that the gateway takes at a long text: it counts code points of the text that it has, and when it answers the
 * text here may be another already. So what was changed since is kept, and each place is moved along. A place whose text
 * is deleted is gone; where the text is what it was before that, by undoing or otherwise, it is there again.
 */
import type { ChangeDesc, Text, Transaction } from "@codemirror/state";
import { Units } from "@/features/policies/code-points";
import type { TextSpan } from "@/marked-text/markup";
import type { LargeEditor } from "./engine/editor";
import type { Snapshot } from "./engine/snapshot";
import { type Spans, spansField } from "./engine/spans";
import { Stretches } from "./engine/stretches";

/** So many UTF-16 code units are counted at once. */
const PIECE = 1 << 17;

/** A text that something was deleted from, and what had changed by then. */
interface Earlier {
  readonly doc: Text;
  readonly since: ChangeDesc | null;
  /** So many UTF-16 code units of it are in lines that the text remembered before it does not have. */
  readonly own: number;
}

/** So many deletions are remembered, each for the text before it. */
const MOST_EARLIER = 500;
/** CodeMirror's texts share the lines that are the same in them, and each has its own copy of what is changed in one. */
const MOST_OWN = 20_000_000;

export class Look {
  readonly #editor: LargeEditor;
  readonly #doc: Text;
  readonly #snapshot: Snapshot;
  #units: Units | null = null;
  #since: ChangeDesc | null = null;
  #earlier: Earlier[] = [];
  /** Of all that are remembered. */
  #own = 0;
  /** What has changed since the text that was remembered last. */
  #unremembered: ChangeDesc | null = null;
  /** The spans that were compared last, and whether they are as they were looked at. */
  #compared: { readonly doc: Text; readonly spans: Spans; readonly same: boolean } | null = null;
  /** Has it no longer follow the text. */
  readonly end: () => void;

  /** At the text as it is now. */
  constructor(editor: LargeEditor) {
    this.#editor = editor;
    this.#doc = editor.state.doc;
    this.#snapshot = editor.snapshot();
    this.end = editor.onTransaction((tr) => {
      if (tr.docChanged) this.#follow(tr);
    });
  }

  #follow(tr: Transaction): void {
    const { changes, newDoc, startState } = tr;
    const back = newDoc.eq(this.#doc)
      ? { since: null }
      : BRINGS_BACK.some((is) => tr.isUserEvent(is)) && this.#at(newDoc);
    if (deletes(changes)) this.#remember(startState.doc);
    this.#unremembered = this.#unremembered?.composeDesc(changes.desc) ?? changes.desc;
    this.#since = back ? back.since : (this.#since?.composeDesc(changes.desc) ?? changes.desc);
  }

  #remember(doc: Text): void {
    const own = this.#unremembered ? unitsOfChangedLines(doc, this.#unremembered) : 0;
    this.#earlier.push({ doc, since: this.#since, own });
    this.#own += own;
    this.#unremembered = null;
    while (this.#earlier.length > MOST_EARLIER || this.#own > MOST_OWN) this.#own -= this.#earlier.shift()?.own ?? 0;
  }

  #at(doc: Text): Earlier | undefined {
    return this.#earlier.findLast((one) => one.doc.eq(doc));
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
    const { doc } = this.#editor.state;
    const spans = this.#editor.state.field(spansField);
    // Asked at each change of the page, and there may be a million of them.
    if (this.#compared?.doc !== doc || this.#compared.spans !== spans)
      this.#compared = { doc, spans, same: this.#editor.snapshot().equals(this.#snapshot) };
    return this.#compared.same;
  }

  isSameText(): boolean {
    return this.#since === null;
  }

  /** Where code points `start` to `end` stood in what was looked at; null if they never did. */
  origin({ start, end }: { start: number | null; end: number | null }): TextSpan | null {
    if (start === null || end === null || !this.#units) return null;
    const [from, to] = [this.#units.of(start), this.#units.of(end)];
    return to > this.#doc.length ? null : { from, to };
  }

  /** Where code points `start` to `end` of what was looked at stand now; null if they are gone, or never were there. */
  place(hit: { start: number | null; end: number | null }): TextSpan | null {
    const origin = this.origin(hit);
    return origin && this.moved(origin);
  }

  /** Where what stood there stands now; null if it is gone. */
  moved({ from, to }: TextSpan): TextSpan | null {
    const place = { from: this.#since?.mapPos(from, 1) ?? from, to: this.#since?.mapPos(to, -1) ?? to };
    return place.to > place.from ? place : null;
  }
}

/** What may bring back a text that was there before; whatever is typed does not, but by chance. */
const BRINGS_BACK = ["undo", "redo", "input.paste", "input.drop"];

/** How long the lines of `doc` are that `changes`, which led to it, are in. */
function unitsOfChangedLines(doc: Text, changes: ChangeDesc): number {
  let units = 0;
  let upTo = 0;
  changes.iterChangedRanges((_from, _to, from, to) => {
    const end = doc.lineAt(to).to;
    units += end - Math.max(upTo, doc.lineAt(from).from);
    upTo = end;
  });
  return units;
}

function deletes(changes: ChangeDesc): boolean {
  let any = false;
  changes.iterChangedRanges((from, to) => {
    any ||= to > from;
  });
  return any;
}
