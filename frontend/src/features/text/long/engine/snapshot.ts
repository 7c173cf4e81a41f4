/**
 * A long text at one moment. CodeMirror's texts and range sets are immutable, so that taking a snapshot costs nothing,
 * and it can be printed a little at a time while somebody types on.
 */

import type { EditorState, Text } from "@codemirror/state";
import { END_TAG, escapeTags, START_TAG } from "@/marked-text/markup";
import { ranges, type Spans, spansField } from "./spans";
import { TimeSlices } from "./time-slices";

/** This many UTF-16 code units are printed at once. */
const PIECE = 1 << 16;
/** This many go into a part of the blob: some milliseconds. */
const PART = 1 << 18;

export class Snapshot {
  readonly doc: Text;
  readonly #spans: Spans;

  constructor(doc: Text, spans: Spans) {
    this.doc = doc;
    this.#spans = spans;
  }

  get length(): number {
    return this.doc.length;
  }

  /** Whether text and spans are the same. What the two share is not compared. */
  equals(other: Snapshot): boolean {
    return this.doc.eq(other.doc) && (this.#spans === other.#spans || sameRanges(this.#spans, other.#spans));
  }

  /** The marked text, at once. */
  marked(): string {
    return [...this.pieces()].join("");
  }

  /**
   * The marked text as a blob, made in time slices: to hand ten megabytes to the network as a string would hold up keys
   * for some hundred milliseconds.
   */
  async blob(): Promise<Blob> {
    const slices = new TimeSlices();
    const parts: Blob[] = [];
    let part: string[] = [];
    let length = 0;
    for (const piece of this.pieces()) {
      part.push(piece);
      length += piece.length;
      if (length >= PART) {
        parts.push(new Blob(part));
        [part, length] = [[], 0];
      }
      await slices.rest();
    }
    return new Blob([...parts, ...part], { type: "application/octet-stream" });
  }

  /** The marked text in pieces, none of which ends within a character. */
  *pieces(size = PIECE): Generator<string, undefined> {
    let ready: string[] = [];
    let length = 0;
    for (const printed of this.#printed(size)) {
      ready.push(printed);
      length += printed.length;
      if (length < size) continue;
      yield ready.join("");
      [ready, length] = [[], 0];
    }
    if (length > 0) yield ready.join("");
  }

  *#printed(size: number): Generator<string, undefined> {
    let at = 0;
    for (const { from, to } of ranges(this.#spans)) {
      yield* this.#escaped(at, from, size);
      yield START_TAG;
      yield* this.#escaped(from, to, size);
      yield END_TAG;
      at = to;
    }
    yield* this.#escaped(at, this.doc.length, size);
  }

  *#escaped(from: number, to: number, size: number): Generator<string, undefined> {
    for (let start = from; start < to; ) {
      const end = this.#cut(Math.min(start + size, to), to);
      yield escapeTags(this.doc.sliceString(start, end, "\n"));
      start = end;
    }
  }

  /** From `at` on the first place that cuts neither a character nor what may be a tag. */
  #cut(at: number, to: number): number {
    let cut = at;
    // A tag is "<", "$" as often as it likes, "S" or "E", and ">".
    while (cut < to && /[<$SE\ud800-\udbff]/.test(this.doc.sliceString(cut - 1, cut, "\n"))) cut++;
    return cut;
  }
}

export function snapshotOf(state: EditorState): Snapshot {
  return new Snapshot(state.doc, state.field(spansField));
}

function sameRanges(one: Spans, other: Spans): boolean {
  if (one.size !== other.size) return false;
  const others = ranges(other);
  for (const { from, to } of ranges(one)) {
    const { value } = others.next();
    if (!value || value.from !== from || value.to !== to) return false;
  }
  return true;
}
