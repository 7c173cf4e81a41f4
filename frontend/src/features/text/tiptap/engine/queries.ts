/** What the document is asked. All of them take the document alone, and may be asked after each keystroke. */

import type { Node } from "@tiptap/pm/model";
import { snapBack } from "@/marked-text/characters";
import { runsOf, spanAfter, spanBefore } from "./runs";

const EXCERPT_LENGTH = 80;

/** A classified span. */
export interface Span {
  readonly id: number;
  /** Positions for a text selection. */
  readonly from: number;
  readonly to: number;
  /** Its first words, white space as single spaces; ends in "…" if there is more. */
  readonly excerpt: string;
  /** The line that it begins in, from 1; pieces of a very long line are one. */
  readonly line: number;
  /** Its size in UTF-8. */
  readonly bytes: number;
}

/** The classified spans, in order. */
export function spans(doc: Node): Span[] {
  const found: Span[] = [];
  let line = 1;
  for (const { span, text, from, to, bytes, lineEnds } of runsOf(doc)) {
    if (span !== null) found.push(new FoundSpan(span, from, to, line, bytes, text));
    line += lineEnds;
  }
  return found;
}

/** Its excerpt is made on first use: there may be thousands, and most are never seen. */
class FoundSpan implements Span {
  readonly id: number;
  readonly from: number;
  readonly to: number;
  readonly line: number;
  readonly bytes: number;
  readonly #text: string;

  constructor(id: number, from: number, to: number, line: number, bytes: number, text: string) {
    this.id = id;
    this.from = from;
    this.to = to;
    this.line = line;
    this.bytes = bytes;
    this.#text = text;
  }

  get excerpt(): string {
    return excerptOf(this.#text);
  }
}

function excerptOf(text: string): string {
  const start = text.length > 2 * EXCERPT_LENGTH ? text.slice(0, 2 * EXCERPT_LENGTH) : text;
  const words = start.replace(/\s+/gu, " ").trim();
  if (words.length <= EXCERPT_LENGTH && start.length === text.length) return words;
  return `${words.slice(0, snapBack(words, EXCERPT_LENGTH)).trimEnd()}…`;
}

/** The span at a position: the one before it, else the one after it. */
export function spanAt(doc: Node, pos: number): Span | null {
  if (!doc.resolve(pos).parent.inlineContent) return null;
  const id = spanBefore(doc, pos) ?? spanAfter(doc, pos);
  return id === null ? null : findSpan(doc, id);
}

/** The span with this id. */
export function findSpan(doc: Node, id: number): Span | null {
  return spans(doc).find((span) => span.id === id) ?? null;
}
