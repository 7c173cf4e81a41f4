/**
 * Corrects changes that break the rules of `marked-text/typing-rules.ts`: those that the browser made in the page, an
 * input method, or a command of another extension. It classifies text and never unmarks any.
 *
 * It also keeps the document's form: line ends that came in as text become line ends, the first line has none before
 * it, and no two separate spans have the same id.
 */

import type { Node } from "@tiptap/pm/model";
import { type EditorState, Plugin, type Transaction } from "@tiptap/pm/state";
import { type Mapping, RemoveMarkStep, type Step } from "@tiptap/pm/transform";
import { type Classification, ClassifyStep } from "./classify-step";
import { newTextSpan, typingSpan } from "./cursor-memory";
import { inLine, keepsRules, replaceText } from "./insert";
import { isHistory, isRebalancing } from "./origin";
import { freshSpan, type Piece, piecesBetween, runsOf } from "./runs";
import { lineAttributes, type SpanId } from "./schema/schema";

export function typingGuard(): Plugin {
  return new Plugin({
    appendTransaction(transactions, before, after) {
      if (!transactions.some((tr) => tr.docChanged) || transactions.some(isHistory)) return null;
      const found = new Findings();
      transactions.forEach((tr, index) => {
        if (isRebalancing(tr)) return;
        const state = index === 0 ? before : null;
        tr.steps.forEach((step, number) => {
          if (keepsRules(step) || step instanceof ClassifyStep) return;
          inspect(tr, step, number, state, new Later(transactions, index, number), found);
        });
      });
      return correct(after, found);
    },
  });
}

/** The violations, by positions in the document after all transactions. */
class Findings {
  readonly classify: Classification[] = [];
  readonly lineEnds: Piece[] = [];
  bringsSpans = false;
}

/** The way of a position from one step on to the last document. */
class Later {
  readonly #mappings: Mapping[];

  constructor(transactions: readonly Transaction[], index: number, step: number) {
    this.#mappings = transactions
      .slice(index)
      .map((tr, offset) => (offset === 0 ? tr.mapping.slice(step + 1) : tr.mapping));
  }

  map(pos: number, side: 1 | -1): number {
    return this.#mappings.reduce((at, mapping) => mapping.map(at, side), pos);
  }

  range(from: number, to: number): { from: number; to: number } {
    return { from: this.map(from, 1), to: this.map(to, -1) };
  }
}

function inspect(
  tr: Transaction,
  step: Step,
  number: number,
  state: EditorState | null,
  later: Later,
  found: Findings,
): void {
  const before = tr.docs[number];
  const after = tr.docs[number + 1] ?? tr.doc;
  if (!before) return;
  if (step instanceof RemoveMarkStep) {
    for (const { span, from, to, isLineEnd } of piecesBetween(before, step.from, step.to)) {
      if (span !== null && !isLineEnd) found.classify.push({ ...later.range(from, to), span });
    }
    return;
  }
  step.getMap().forEach((oldFrom, oldTo, newFrom, newTo) => {
    if (newTo === newFrom) return;
    const pieces = piecesBetween(after, newFrom, newTo);
    if (!pieces.length) return;
    const wanted = wantedSpans(before, oldFrom, oldTo, pieces, number === 0 ? state : null);
    for (const range of differences(pieces, wanted)) {
      found.classify.push({ ...later.range(range.from, range.to), span: range.span });
    }
    for (const piece of pieces) {
      if (piece.span !== null) found.bringsSpans = true;
      if (!piece.isLineEnd && /[\r\n]/.test(piece.text))
        found.lineEnds.push({ ...piece, ...later.range(piece.from, piece.to) });
    }
  });
}

/** What new characters should be: those before `end`, counted from the first, after those of the entry before. */
interface Wanted {
  readonly end: number;
  readonly span: SpanId;
  /** It came in with this change, it did not stay. */
  readonly isNew: boolean;
}

/**
 * A change may cover more than was changed: the same text at its two ends keeps its spans, and the rules say what the
 * text between them is.
 */
function wantedSpans(
  before: Node,
  oldFrom: number,
  oldTo: number,
  pieces: readonly Piece[],
  state: EditorState | null,
): Wanted[] {
  const oldPieces = piecesBetween(before, oldFrom, oldTo);
  const oldText = textOf(oldPieces);
  const newText = textOf(pieces);
  const most = Math.min(oldText.length, newText.length);
  let head = 0;
  while (head < most && oldText[head] === newText[head]) head++;
  let tail = 0;
  while (tail < most - head && oldText.at(-1 - tail) === newText.at(-1 - tail)) tail++;

  const wanted: Wanted[] = [];
  const stays = (from: number, to: number, shift: number) => {
    let at = 0;
    for (const { text, span } of oldPieces) {
      const end = Math.min(at + text.length, to);
      if (end > Math.max(at, from)) wanted.push({ end: end + shift, span, isNew: false });
      at += text.length;
    }
  };
  stays(0, head, 0);
  if (newText.length - tail > head) {
    const from = inLine(before, placeIn(oldPieces, head, oldFrom, oldTo), 1);
    const to = Math.max(from, inLine(before, placeIn(oldPieces, oldText.length - tail, oldFrom, oldTo), -1));
    const span = state ? typingSpan(state, from, to) : newTextSpan(before, from, to);
    wanted.push({ end: newText.length - tail, span, isNew: true });
  }
  stays(oldText.length - tail, oldText.length, newText.length - oldText.length);
  return wanted;
}

function textOf(pieces: readonly Piece[]): string {
  return pieces.map(({ text }) => text).join("");
}

/** The position before the character `offset` of the pieces, which lie from `from` to `to`. */
function placeIn(pieces: readonly Piece[], offset: number, from: number, to: number): number {
  if (offset === 0) return from;
  let at = 0;
  for (const piece of pieces) {
    if (offset < at + piece.text.length) return piece.isLineEnd ? piece.from : piece.from + offset - at;
    at += piece.text.length;
  }
  return to;
}

/** Where the pieces are not what they should be. */
function differences(pieces: readonly Piece[], wanted: readonly Wanted[]): Classification[] {
  const ranges: Classification[] = [];
  let index = 0;
  let start = 0;
  for (const piece of pieces) {
    const end = start + piece.text.length;
    for (let at = start; at < end; ) {
      const want = wanted[index];
      if (!want) return ranges;
      const stop = Math.min(end, want.end);
      if (want.span !== null && want.span !== piece.span && (piece.span === null || want.isNew)) {
        const from = piece.isLineEnd ? piece.from : piece.from + at - start;
        ranges.push({ from, to: piece.isLineEnd ? piece.to : piece.from + stop - start, span: want.span });
      }
      if (want.end <= stop) index++;
      at = stop;
    }
    start = end;
  }
  return ranges;
}

function correct(state: EditorState, found: Findings): Transaction | null {
  const { tr } = state;
  for (const range of found.classify) if (range.to > range.from) tr.step(new ClassifyStep([range]));
  for (const piece of found.lineEnds.reverse()) takeLineEndsOut(tr, piece);
  const first = tr.doc.firstChild?.firstChild;
  if (first && lineAttributes(first).before !== "") {
    tr.setNodeAttribute(1, "before", "").setNodeAttribute(1, "beforeSpan", null);
  }
  if (found.bringsSpans) renameDoubles(tr);
  if (!tr.docChanged) return null;
  return tr.setSelection(state.selection.map(tr.doc, tr.mapping)).setStoredMarks(state.storedMarks);
}

function takeLineEndsOut(tr: Transaction, { from, to }: Piece): void {
  for (const piece of piecesBetween(tr.doc, from, to).reverse()) {
    if (piece.isLineEnd) continue;
    for (const end of [...piece.text.matchAll(/\r\n|\r|\n/g)].reverse()) {
      const at = piece.from + end.index;
      replaceText(tr, at, at + end[0].length, [{ text: end[0], span: piece.span }]);
    }
  }
}

/** Gives spans that have the id of an earlier one, from which something parts them, ids of their own. */
function renameDoubles(tr: Transaction): void {
  const seen = new Set<number>();
  const ranges: Classification[] = [];
  let fresh = freshSpan(tr.doc);
  for (const { span, from, to } of runsOf(tr.doc)) {
    if (span === null) continue;
    if (seen.has(span)) ranges.push({ from, to, span: fresh++ });
    seen.add(span);
  }
  if (ranges.length) tr.step(new ClassifyStep(ranges));
}
