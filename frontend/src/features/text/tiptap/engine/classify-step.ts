import { Fragment, type Node } from "@tiptap/pm/model";
import { type Mappable, Step, StepMap, StepResult } from "@tiptap/pm/transform";
import { isFirstLine, piecesBetween } from "./runs";
import { lineAttributes, marksFor, type SpanId, spanOf } from "./schema/schema";

/** The characters from `from` to before `to` belong to `span`; null: they are plain. */
export interface Classification {
  readonly from: number;
  readonly to: number;
  readonly span: SpanId;
}

/**
 * Says which span characters belong to, text and line ends alike, in any number of places at once; no text changes.
 *
 * ProseMirror's own steps would want one for each line and each line end, a mark step cannot be undone exactly where
 * it covers older marks, and a thousand of them take seconds. This one is its own inverse, and positions stay.
 */
export class ClassifyStep extends Step {
  readonly ranges: readonly Classification[];
  /** The stretch that it touches; TipTap looks for these to find out what changed. */
  readonly from: number;
  readonly to: number;

  /** `ranges` are in order and do not overlap; there is one at least. */
  constructor(ranges: readonly Classification[]) {
    super();
    this.ranges = ranges;
    this.from = ranges[0]?.from ?? 0;
    this.to = ranges.at(-1)?.to ?? 0;
  }

  override apply(doc: Node): StepResult {
    // not a text
    if (this.from < 0 || this.to > doc.content.size) return StepResult.fail("the range lies outside of the document");
    const cursor = new RangeCursor(this.ranges);
    const chunks: Node[] = [];
    doc.forEach((chunk, offset) => {
      chunks.push(cursor.reaches(offset, offset + chunk.nodeSize) ? classifyChunk(chunk, offset, cursor) : chunk);
    });
    return StepResult.ok(doc.copy(Fragment.fromArray(chunks)));
  }

  override getMap(): StepMap {
    return StepMap.empty;
  }

  override invert(doc: Node): Step {
    const ranges: Classification[] = [];
    for (const { from, to } of this.ranges) {
      let last: { from: number; to: number; span: SpanId } | undefined;
      for (const piece of piecesBetween(doc, from, to)) {
        if (last && last.span === piece.span) last.to = piece.to;
        else {
          last = { from: piece.from, to: piece.to, span: piece.span };
          ranges.push(last);
        }
      }
    }
    return new ClassifyStep(ranges.length ? ranges : this.ranges);
  }

  override map(mapping: Mappable): Step | null {
    const ranges: Classification[] = [];
    for (const { from, to, span } of this.ranges) {
      const mapped = { from: mapping.map(from, 1), to: mapping.map(to, -1), span };
      if (mapped.to > mapped.from) ranges.push(mapped);
    }
    return ranges.length ? new ClassifyStep(ranges) : null;
  }

  override toJSON(): unknown {
    return { stepType: "classify", ranges: this.ranges };
  }
}

/** Walks the ranges beside the document, forward only. */
class RangeCursor {
  readonly #ranges: readonly Classification[];
  #index = 0;

  constructor(ranges: readonly Classification[]) {
    this.#ranges = ranges;
  }

  /** Whether some range lies in these positions, of which everything before `from` is done. */
  reaches(from: number, to: number): boolean {
    this.#skip(from);
    const range = this.#ranges[this.#index];
    return range !== undefined && range.from < to;
  }

  /** The range that holds the character at `pos`. */
  at(pos: number): Classification | undefined {
    this.#skip(pos);
    const range = this.#ranges[this.#index];
    return range && range.from <= pos ? range : undefined;
  }

  /** Where the next range begins, after `pos`. */
  nextStart(pos: number): number {
    this.#skip(pos);
    return this.#ranges[this.#index]?.from ?? Number.POSITIVE_INFINITY;
  }

  #skip(pos: number): void {
    for (;;) {
      const range = this.#ranges[this.#index];
      if (!range || range.to > pos) return;
      this.#index++;
    }
  }
}

function classifyChunk(chunk: Node, chunkPos: number, cursor: RangeCursor): Node {
  const lines: Node[] = [];
  chunk.forEach((line, offset) => {
    const pos = chunkPos + 1 + offset;
    lines.push(cursor.reaches(pos, pos + line.nodeSize) ? classifyLine(line, pos, cursor) : line);
  });
  return chunk.copy(Fragment.fromArray(lines));
}

function classifyLine(line: Node, pos: number, cursor: RangeCursor): Node {
  const attributes = lineAttributes(line);
  const end = cursor.at(pos);
  const hasEnd = attributes.before !== "" && !isFirstLine(pos);
  const beforeSpan = end && hasEnd ? end.span : attributes.beforeSpan;
  const texts: Node[] = [];
  line.forEach((text, offset) => {
    const start = pos + 1 + offset;
    for (let at = start; at < start + text.nodeSize; ) {
      const range = cursor.at(at);
      const stop = Math.min(start + text.nodeSize, range ? range.to : cursor.nextStart(at));
      const span = range ? range.span : spanOf(text);
      texts.push(text.cut(at - start, stop - start).mark(marksFor(line.type.schema, span)));
      at = stop;
    }
  });
  return line.type.create({ ...attributes, beforeSpan }, Fragment.fromArray(texts));
}
