/**
 * Tracks a long text from a moment on: the gateway counts code points of the text as it was then, and the text may have
 * changed when it answers. Places move with their text. A place whose text is deleted is gone; if an undo or another
 * change restores the text from before, the place is back.
 */
import type { ChangeDesc, Text, Transaction } from "@codemirror/state";
import type { Hit, TextTracker } from "@/features/workspace/panels/surface";
import { Units } from "@/lib/code-points";
import type { TextSpan } from "@/marked-text/markup";
import type { LongTextEditor } from "./engine/editor";
import { TimeSlices } from "./engine/time-slices";

/** This many UTF-16 code units are counted at once. */
const PIECE = 1 << 17;

/** A text that something was deleted from, and what had changed by then. */
interface Earlier {
  readonly doc: Text;
  readonly since: ChangeDesc | null;
  /** This many UTF-16 code units of it are in lines that the text remembered before it does not have. */
  readonly own: number;
}

/** This many deletions are remembered, each for the text before it. */
const MOST_EARLIER = 500;
/** CodeMirror's texts share the lines that are the same in them, and each has its own copy of what is changed in one. */
const MOST_OWN = 20_000_000;

export class LongTextTracker implements TextTracker {
  readonly #doc: Text;
  #units: Units | null = null;
  #since: ChangeDesc | null = null;
  #earlier: Earlier[] = [];
  /** Of all that are remembered. */
  #own = 0;
  /** What has changed since the text that was remembered last. */
  #unremembered: ChangeDesc | null = null;
  /** Ends the tracking. */
  readonly end: () => void;

  /** Follows the text as it is now. */
  constructor(editor: LongTextEditor) {
    this.#doc = editor.state.doc;
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

  /** Counts the text's code points, in time slices. */
  async ready(): Promise<void> {
    if (this.#units) return;
    const units = new Units();
    const slices = new TimeSlices();
    for (let at = 0; at < this.#doc.length; ) {
      let end = Math.min(at + PIECE, this.#doc.length);
      if (/[\ud800-\udbff]/.test(this.#doc.sliceString(end - 1, end, "\n"))) end++;
      units.add(this.#doc.sliceString(at, end, "\n"));
      at = end;
      await slices.rest();
    }
    this.#units = units;
  }

  isSameText(): boolean {
    return this.#since === null;
  }

  /** The place of a hit in the tracked text; null if it is beyond its end. */
  origin({ start, end }: Pick<Hit, "start" | "end">): TextSpan | null {
    if (start === null || end === null || !this.#units) return null;
    const [from, to] = [this.#units.of(start), this.#units.of(end)];
    return to > this.#doc.length ? null : { from, to };
  }

  place(hit: Pick<Hit, "start" | "end">): TextSpan | null {
    const origin = this.origin(hit);
    return origin && this.moved(origin);
  }

  /** Where a place of the tracked text is now; null if it is deleted. */
  moved({ from, to }: TextSpan): TextSpan | null {
    const place = { from: this.#since?.mapPos(from, 1) ?? from, to: this.#since?.mapPos(to, -1) ?? to };
    return place.to > place.from ? place : null;
  }
}

/** Changes that may restore an earlier text. Typing does so only by chance. */
const BRINGS_BACK = ["undo", "redo", "input.paste", "input.drop"];

/** The length of the lines of `doc` that `changes`, which led to it, have changed. */
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
