/** A document in the reader: its text and spans, cut into blocks. */
import { t } from "@lingui/core/macro";
import { MARKER } from "@/api/catalogue";
import { MarkupError, parse, type Segment, type TextSpan } from "@/marked-text/markup";
import { type Block, cut, lastWhere, partStarts } from "./blocks";

export interface ReaderDocument {
  /** The exact text. */
  readonly text: string;
  /** The same with line feeds for lone carriage returns, which browsers draw as spaces. */
  readonly shown: string;
  readonly spans: readonly TextSpan[];
  readonly blocks: readonly Block[];
  /** The index of the first block of each part. */
  readonly parts: readonly number[];
  /** Empty spans mark withheld text. */
  readonly gaps: boolean;
}

/** Opens marked text; returns a sentence if it is not well-formed. */
export function openDocument(marked: string, gaps: boolean): ReaderDocument | { fault: string } {
  try {
    const { text, spans } = parse(marked);
    const shown = text.includes("\r") ? text.replace(/\r(?!\n)/g, "\n") : text;
    const blocks = cut(shown);
    return { text, shown, spans, blocks, parts: partStarts(blocks), gaps };
  } catch (error) {
    if (error instanceof MarkupError)
      return { fault: t`The marks of this document are not valid: ${{ fault: error.message }}.` };
    throw error;
  }
}

/** The index of the block that contains `offset`. */
export function blockAt({ blocks }: ReaderDocument, offset: number): number {
  return lastWhere(blocks, ({ from }) => from <= offset);
}

/** The index of the part that contains the block at `index`. */
export function partAt({ parts }: ReaderDocument, index: number): number {
  return lastWhere(parts, (start) => start <= index);
}

/** The index of the first span that begins at or after `offset`; 0 if there is none. */
export function spanFrom({ spans }: ReaderDocument, offset: number): number {
  const first = spans.length > 0 && (spans[0]?.from ?? 0) >= offset ? 0 : 1 + lastWhere(spans, (s) => s.from < offset);
  return first < spans.length ? first : 0;
}

/**
 * The text between two offsets to copy: with its classification, and with a marker for withheld text.
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

/** Excludes gaps at the ends of the copied range, except at the ends of the document. */
function isWithin(gap: number, from: number, to: number, length: number): boolean {
  return (gap > from || from === 0) && (gap < to || to === length);
}

/** A classified text, and how often it occurs. */
interface DistinctSpan {
  readonly text: string;
  readonly count: number;
  /** The index of its first span. */
  readonly first: number;
}

/** The classified texts, each once, in the order of the document. */
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
