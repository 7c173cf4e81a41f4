/**
 * Splits and joins lines and chunks that editing has made too long or too short. No character changes.
 *
 * It comes with the change that made it necessary, and is undone with it. As a change outside of the history it would
 * spoil that: ProseMirror then moves the steps to undo by their positions, and where two deletions met at one, their
 * texts come back in the wrong order.
 */

import { type Node, Slice } from "@tiptap/pm/model";
import { type EditorState, Plugin, type Transaction } from "@tiptap/pm/state";
import { breakPoint } from "@/marked-text/characters";
import { CHUNK_LENGTH, CHUNK_LINES, LINE_LENGTH } from "./build";
import { asRebalancing, isHistory } from "./origin";
import { lineAttributes } from "./schema/schema";

/** What chunks and lines are cut to; they may grow to some times that. */
export interface Limits {
  readonly chunkLines: number;
  readonly chunkLength: number;
  readonly lineLength: number;
}

const LIMITS: Limits = { chunkLines: CHUNK_LINES, chunkLength: CHUNK_LENGTH, lineLength: LINE_LENGTH };

export function rebalancing(limits: Limits = LIMITS): Plugin {
  const balance = new Balance(limits);
  return new Plugin({
    appendTransaction(transactions, _before, after) {
      if (!transactions.some((tr) => tr.docChanged) || transactions.some(mustStay)) return null;
      return balance.restore(after);
    },
  });
}

/**
 * An input method must find its text where it left it; there will be another change. And what undo restores was in
 * order; a change after it would spoil what there is still to undo.
 */
function mustStay(tr: Transaction): boolean {
  return tr.getMeta("composition") !== undefined || isHistory(tr);
}

class Balance {
  readonly #limits: Limits;
  /** Chunks all of whose lines fit. */
  readonly #fitting = new WeakSet<Node>();

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** The transaction that puts lines and chunks in order; null if they are. */
  restore(state: EditorState): Transaction | null {
    const { tr } = state;
    this.#fitLines(tr);
    this.#fitChunks(tr);
    if (!tr.docChanged) return null;
    return asRebalancing(tr.setStoredMarks(state.storedMarks));
  }

  #fitLines(tr: Transaction): void {
    const { doc } = tr;
    let previous: Node | null = null;
    doc.forEach((chunk, chunkOffset) => {
      if (this.#fitting.has(chunk)) {
        previous = chunk.lastChild;
        return;
      }
      let fits = true;
      chunk.forEach((line, offset) => {
        const pos = chunkOffset + 1 + offset;
        if (line.content.size > 1.25 * this.#limits.lineLength) {
          fits = false;
          this.#cutLine(tr, line, pos);
        } else if (previous && lineAttributes(line).before === "" && this.#areShort(previous, line)) {
          fits = false;
          const end = offset === 0 ? pos - 3 : pos - 1;
          tr.replace(tr.mapping.map(end), tr.mapping.map(pos + 1), Slice.empty);
        }
        previous = line;
      });
      if (fits) this.#fitting.add(chunk);
    });
  }

  #areShort(one: Node, other: Node): boolean {
    return one.content.size + other.content.size <= this.#limits.lineLength / 2;
  }

  #cutLine(tr: Transaction, line: Node, pos: number): void {
    const { lineLength } = this.#limits;
    const text = line.textContent;
    const piece = [{ type: line.type, attrs: { before: "", beforeSpan: null } }];
    for (let at = 0; text.length - at > lineLength; ) {
      at += breakPoint(text.slice(at, at + lineLength + 1), lineLength);
      tr.split(tr.mapping.map(pos + 1 + at), 1, piece);
    }
  }

  #fitChunks(tr: Transaction): void {
    const { doc } = tr;
    const from = tr.steps.length;
    let previous: Node | null = null;
    doc.forEach((chunk, offset) => {
      const at = (pos: number) => tr.mapping.slice(from).map(pos);
      if (this.#isTooBig(chunk)) {
        for (const cut of this.#cuts(chunk)) tr.split(at(offset + 1 + cut), 1);
        previous = null;
      } else if (previous && this.#areFew(previous, chunk)) {
        tr.join(at(offset));
        // What it is joined with may now be enough.
        previous = null;
      } else previous = chunk;
    });
  }

  #isTooBig({ childCount, content }: Node): boolean {
    const { chunkLines, chunkLength } = this.#limits;
    return childCount > 4 * chunkLines || (childCount > 1 && content.size > 4 * chunkLength);
  }

  /** The offsets at which a chunk is to be cut. */
  #cuts(chunk: Node): number[] {
    const cuts: number[] = [];
    let lines = 0;
    let length = 0;
    chunk.forEach((line, offset) => {
      if (lines === this.#limits.chunkLines || (lines > 0 && length + line.nodeSize > this.#limits.chunkLength)) {
        cuts.push(offset);
        lines = 0;
        length = 0;
      }
      lines++;
      length += line.nodeSize;
    });
    return cuts;
  }

  #areFew(one: Node, other: Node): boolean {
    const { chunkLines, chunkLength } = this.#limits;
    return (
      Math.min(one.childCount, other.childCount) < Math.max(2, chunkLines / 5) &&
      one.childCount + other.childCount <= chunkLines &&
      one.content.size + other.content.size <= chunkLength
    );
  }
}
