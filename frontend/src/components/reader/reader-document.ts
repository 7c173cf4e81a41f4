/** A document as the reader holds it: its text and spans, cut into blocks. */
import { MARKER } from "@/api/catalogue";
import { MarkupError, parse, type Segment, type TextSpan } from "@/marked-text/markup";
import { type Block, cut, lastWhere, partStarts } from "./blocks";

export interface ReaderDocument {
  /** As it is. */
  readonly text: string;
  /** The same, but a carriage return that stands alone is a line feed: browsers would draw it as a space. */
  readonly shown: string;
  readonly spans: readonly TextSpan[];
  readonly blocks: readonly Block[];
  /** Where each part begins, as a place in `blocks`. */
  readonly parts: readonly number[];
  /** Empty spans stand for text that is withheld. */
  readonly gaps: boolean;
}

/** The document that `marked` writes; a sentence if it is not well-formed. */
export function openDocument(marked: string, gaps: boolean): ReaderDocument | { fault: string } {
  try {
    const { text, spans } = parse(marked);
    const shown = text.includes("\r") ? text.replace(/\r(?!\n)/g, "\n") : text;
    const blocks = cut(shown);
    return { text, shown, spans, blocks, parts: partStarts(blocks), gaps };
  } catch (error) {
    if (error instanceof MarkupError) return { fault: `The marks of this document are not valid: ${error.message}.` };
    throw error;
  }
}

/** The place of the block that holds `offset`. */
export function blockAt({ blocks }: ReaderDocument, offset: number): number {
  return lastWhere(blocks, ({ from }) => from <= offset);
}

/** The place of the part that holds the block at `index`. */
export function partAt({ parts }: ReaderDocument, index: number): number {
  return lastWhere(parts, (start) => start <= index);
}

/** The place of the first span that begins at `offset` or after it; the first of all if there is none. */
export function spanFrom({ spans }: ReaderDocument, offset: number): number {
  const first = spans.length > 0 && (spans[0]?.from ?? 0) >= offset ? 0 : 1 + lastWhere(spans, (s) => s.from < offset);
  return first < spans.length ? first : 0;
}

/**
 * What is between two offsets, as it is copied: with its classification, and with a marker where something is
 * withheld.
 */
export function copiedSegments({ text, spans, gaps }: ReaderDocument, from: number, to: number): Segment[] {
  const found: Segment[] = [];
  let at = from;
  for (let index = lastWhere(spans, (span) => span.to < from); index < spans.length; index++) {
    const span = spans[index];
    if (!span || span.from > to) break;
    const empty = span.from === span.to;
    if (empty ? !gaps || !isWithin(span.from, from, to, text.length) : span.to <= from || span.from >= to) continue;
    const start = Math.max(span.from, from);
    if (start > at) found.push({ text: text.slice(at, start), classified: false });
    at = Math.min(span.to, to);
    found.push(empty ? { text: MARKER, classified: false } : { text: text.slice(start, at), classified: true });
  }
  if (at < to) found.push({ text: text.slice(at, to), classified: false });
  return found;
}

/** A gap at an end of what is copied is not in it, but for the ends of the document. */
function isWithin(gap: number, from: number, to: number, length: number): boolean {
  return (gap > from || from === 0) && (gap < to || to === length);
}

/** The same classified text, wherever it stands. */
interface DistinctSpan {
  readonly text: string;
  readonly count: number;
  /** The place of its first span. */
  readonly first: number;
}

/** What is classified, each text once, in the order of the document. */
export function distinctSpans({ text, spans }: ReaderDocument): DistinctSpan[] {
  const found = new Map<string, { text: string; count: number; first: number }>();
  spans.forEach(({ from, to }, index) => {
    const classified = text.slice(from, to);
    const known = found.get(classified);
    if (known) known.count += 1;
    else found.set(classified, { text: classified, count: 1, first: index });
  });
  return [...found.values()];
}
