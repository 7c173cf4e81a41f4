/** From runs of text to lines and chunks. */

import type { Node, Schema } from "@tiptap/pm/model";
import { breakPoint } from "@/marked-text/characters";
import type { LineAttributes, LineEnd } from "./schema/line";
import { marksFor, partsOf, type SpanId } from "./schema/schema";

/** A new chunk starts after this many lines or this much text, whichever comes first. */
export const CHUNK_LINES = 50;
export const CHUNK_LENGTH = 32_768;
/** A longer line is held in pieces: browsers lay out and edit one block of a megabyte in seconds. */
export const LINE_LENGTH = 16_384;

/** Text that belongs to one span, or to none. */
export interface SpanText {
  readonly text: string;
  readonly span: SpanId;
}

/**
 * The lines of a text. `first` are the attributes of the line that it begins in. A line end that is cut by the edge of
 * a span, CR in and LF out of it, becomes two.
 */
export function buildLines(schema: Schema, texts: Iterable<SpanText>, first: LineAttributes): Node[] {
  const builder = new LineBuilder(schema, first);
  for (const { text, span } of texts) {
    let at = 0;
    for (const end of text.matchAll(/\r\n|\r|\n/g)) {
      builder.add(text.slice(at, end.index), span);
      builder.end(end[0] as LineEnd, span);
      at = end.index + end[0].length;
    }
    builder.add(at === 0 ? text : text.slice(at), span);
  }
  return builder.finish();
}

class LineBuilder {
  readonly #schema: Schema;
  readonly #lines: Node[] = [];
  #attributes: LineAttributes;
  #texts: Node[] = [];
  #length = 0;

  constructor(schema: Schema, first: LineAttributes) {
    this.#schema = schema;
    this.#attributes = first;
  }

  add(text: string, span: SpanId): void {
    let rest = text;
    while (this.#length + rest.length > LINE_LENGTH) {
      const point = breakPoint(rest, LINE_LENGTH - this.#length);
      this.#put(rest.slice(0, point), span);
      this.end("", null);
      rest = rest.slice(point);
    }
    this.#put(rest, span);
  }

  end(before: LineEnd, beforeSpan: SpanId): void {
    this.#lines.push(partsOf(this.#schema).line.create(this.#attributes, this.#texts));
    this.#attributes = { before, beforeSpan };
    this.#texts = [];
    this.#length = 0;
  }

  finish(): Node[] {
    this.end("", null);
    return this.#lines;
  }

  #put(text: string, span: SpanId): void {
    if (!text) return;
    this.#texts.push(this.#schema.text(text, marksFor(this.#schema, span)));
    this.#length += text.length;
  }
}

/** The lines in chunks. */
export function buildChunks(schema: Schema, lines: readonly Node[]): Node[] {
  const { chunk } = partsOf(schema);
  const chunks: Node[] = [];
  let from = 0;
  let length = 0;
  lines.forEach((line, index) => {
    if (index > from && (index - from === CHUNK_LINES || length + line.nodeSize > CHUNK_LENGTH)) {
      chunks.push(chunk.create(null, lines.slice(from, index)));
      from = index;
      length = 0;
    }
    length += line.nodeSize;
  });
  chunks.push(chunk.create(null, lines.slice(from)));
  return chunks;
}
