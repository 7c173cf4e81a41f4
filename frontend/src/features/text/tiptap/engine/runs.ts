/**
 * Reading the document as what it is: a row of characters, each of which belongs to a span or to none.
 *
 * A line end is a character, too: the opening of the line after it. So every character has a place among
 * the positions of the document: that of its code unit, or of its line's opening. What is read from a chunk is
 * remembered for that chunk; after a keystroke only the chunk that changed is read again.
 */

import type { Node } from "@tiptap/pm/model";
import { utf8Size } from "@/marked-text/utf8";
import type { LineEnd } from "./schema/line";
import { lineAttributes, type SpanId, spanOf } from "./schema/schema";

/** Characters that follow each other and belong to the same span, or to none. */
export interface Run {
  readonly span: SpanId;
  readonly text: string;
  /** Positions for a text selection. */
  readonly from: number;
  readonly to: number;
  /** Bytes of `text` in UTF-8. */
  readonly bytes: number;
  /** Line ends in `text`. */
  readonly lineEnds: number;
}

/** The cached content of a chunk; positions count from the chunk's own. */
interface ChunkFacts {
  readonly runs: readonly Run[];
  readonly ends: Readonly<Record<LineEnd, number>>;
  readonly highestSpan: number;
}

const known = new WeakMap<Node, ChunkFacts>();

function factsOf(chunk: Node, isFirst: boolean): ChunkFacts {
  const first = chunk.firstChild;
  // The first line of the document has no line end before it, whatever its attribute says.
  if (isFirst && first && lineAttributes(first).before !== "") return readChunk(chunk, true);
  let facts = known.get(chunk);
  if (!facts) {
    facts = readChunk(chunk, false);
    known.set(chunk, facts);
  }
  return facts;
}

function readChunk(chunk: Node, dropFirstEnd: boolean): ChunkFacts {
  const reader = new RunReader();
  const ends = { "\n": 0, "\r\n": 0, "\r": 0, "": 0 };
  let highestSpan = 0;
  chunk.forEach((line, offset, index) => {
    const at = 1 + offset;
    const { before, beforeSpan } = lineAttributes(line);
    if (before !== "" && !(dropFirstEnd && index === 0)) {
      ends[before]++;
      // As a place in the text, a line end begins where the line before it ends: there, or in the chunk before.
      reader.add(before, beforeSpan, index === 0 ? -2 : at - 1, at + 1, 1);
      if (beforeSpan !== null && beforeSpan > highestSpan) highestSpan = beforeSpan;
    }
    line.forEach((text, inLine) => {
      const span = spanOf(text);
      const from = at + 1 + inLine;
      reader.add(text.text ?? "", span, from, from + text.nodeSize, 0);
      if (span !== null && span > highestSpan) highestSpan = span;
    });
  });
  return { runs: reader.finish(), ends, highestSpan };
}

/** Joins what belongs together. */
class RunReader {
  readonly #runs: Run[] = [];
  #span: SpanId = null;
  #pieces: string[] = [];
  #from = 0;
  #to = 0;
  #lineEnds = 0;

  add(text: string, span: SpanId, from: number, to: number, lineEnds: number): void {
    if (span !== this.#span) this.#flush();
    if (!this.#pieces.length) {
      this.#span = span;
      this.#from = from;
    }
    this.#pieces.push(text);
    this.#to = to;
    this.#lineEnds += lineEnds;
  }

  finish(): readonly Run[] {
    this.#flush();
    return this.#runs;
  }

  #flush(): void {
    if (!this.#pieces.length) return;
    const text = this.#pieces.join("");
    this.#runs.push({
      span: this.#span,
      text,
      from: this.#from,
      to: this.#to,
      bytes: utf8Size(text),
      lineEnds: this.#lineEnds,
    });
    this.#pieces = [];
    this.#lineEnds = 0;
  }
}

/** The document's characters, in order; two runs that follow each other belong to different spans. */
export function runsOf(doc: Node): Run[] {
  const runs: Run[] = [];
  let last: Run | undefined;
  doc.forEach((chunk, offset, index) => {
    for (const run of factsOf(chunk, index === 0).runs) {
      const from = run.from + offset;
      const to = run.to + offset;
      if (last && last.span === run.span) {
        last = {
          span: run.span,
          text: last.text + run.text,
          from: last.from,
          to,
          bytes: last.bytes + run.bytes,
          lineEnds: last.lineEnds + run.lineEnds,
        };
        runs[runs.length - 1] = last;
      } else {
        last = { ...run, from, to };
        runs.push(last);
      }
    }
  });
  return runs;
}

/** Characters between two positions, with their places: `from` is the position of the first one. */
export interface Piece {
  readonly span: SpanId;
  readonly text: string;
  readonly from: number;
  readonly to: number;
  /** It is a line end of the document, not text in a line. */
  readonly isLineEnd: boolean;
}

/**
 * The characters whose places lie from `from` to before `to`, in pieces of one span each; a line end is a piece of its
 * own, `to` its place + 1.
 */
export function piecesBetween(doc: Node, from: number, to: number): Piece[] {
  const pieces: Piece[] = [];
  doc.nodesBetween(Math.max(0, from), Math.min(to, doc.content.size), (node, pos) => {
    if (node.type.name === "line") {
      const { before, beforeSpan } = lineAttributes(node);
      if (before !== "" && pos >= from && pos < to && !isFirstLine(pos)) {
        pieces.push({ span: beforeSpan, text: before, from: pos, to: pos + 1, isLineEnd: true });
      }
    } else if (node.isText && node.text) {
      const start = Math.max(from, pos);
      const end = Math.min(to, pos + node.nodeSize);
      if (end > start) {
        const text = node.text.slice(start - pos, end - pos);
        pieces.push({ span: spanOf(node), text, from: start, to: end, isLineEnd: false });
      }
    }
  });
  return pieces;
}

/** Whether the line at this position is the first of the document. */
export function isFirstLine(pos: number): boolean {
  return pos === 1;
}

/** The span of the character before a position in a line; null at the start of the document. */
export function spanBefore(doc: Node, pos: number): SpanId {
  const $pos = doc.resolve(pos);
  if ($pos.nodeBefore) return spanOf($pos.nodeBefore);
  const linePos = $pos.before();
  if (isFirstLine(linePos)) return null;
  const { before, beforeSpan } = lineAttributes($pos.parent);
  return before !== "" ? beforeSpan : spanBefore(doc, endOfLineBefore(doc, linePos));
}

/** The span of the character after a position in a line; null at the end of the document. */
export function spanAfter(doc: Node, pos: number): SpanId {
  const $pos = doc.resolve(pos);
  if ($pos.nodeAfter) return spanOf($pos.nodeAfter);
  const start = startOfLineAfter(doc, $pos.after());
  if (start === null) return null;
  const { before, beforeSpan } = lineAttributes(doc.resolve(start).parent);
  return before !== "" ? beforeSpan : spanAfter(doc, start);
}

/** Where the line before the one at `linePos` ends. There must be one. */
export function endOfLineBefore(doc: Node, linePos: number): number {
  return doc.resolve(linePos).nodeBefore ? linePos - 1 : linePos - 3;
}

/** Where the line after the one that closes before `pos` begins, or null. */
export function startOfLineAfter(doc: Node, pos: number): number | null {
  if (doc.resolve(pos).nodeAfter) return pos + 1;
  return pos + 1 < doc.content.size ? pos + 3 : null;
}

/** The positions at which the text begins and ends. */
export function textBounds(doc: Node): { from: number; to: number } {
  return { from: 2, to: doc.content.size - 2 };
}

/** The line end that the document has most often; "\n" if it has none. */
export function dominantLineEnd(doc: Node): "\n" | "\r\n" | "\r" {
  let lf = 0;
  let crlf = 0;
  let cr = 0;
  doc.forEach((chunk, _, index) => {
    const { ends } = factsOf(chunk, index === 0);
    lf += ends["\n"];
    crlf += ends["\r\n"];
    cr += ends["\r"];
  });
  if (crlf > lf && crlf >= cr) return "\r\n";
  return cr > lf ? "\r" : "\n";
}

/** An id that no span of the document has, nor any higher one. */
export function freshSpan(doc: Node): number {
  let highest = 0;
  doc.forEach((chunk, _, index) => {
    highest = Math.max(highest, factsOf(chunk, index === 0).highestSpan);
  });
  return highest + 1;
}
