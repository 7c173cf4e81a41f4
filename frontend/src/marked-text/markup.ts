/**
 * Marked text: a document written as text with `<$S>` and `<$E>` around each classified span.
 *
 * Invariant, as in the gateway: `parse(print(d))` is d for every document d, and `print(parse(m))` is m for every
 * well-formed m. Nothing is normalised: line ends, byte order marks and combining marks are text like any other. A tag
 * that the author wrote as text differs from a real one by one more `$`, in each segment by itself: a literal tag that
 * a span's edge cuts matches in neither segment and stays as it is.
 *
 * Offsets are UTF-16 code units of the text, as JavaScript counts them.
 */
import { t } from "@lingui/core/macro";

const MAX_SPANS = 1_000_000;
export const START_TAG = "<$S>";
export const END_TAG = "<$E>";
const NOT_UTF8 = t`not UTF-8 from here on; save the text as UTF-8`;

/** Characters `from` to `to`, without `to`. */
export interface TextSpan {
  readonly from: number;
  readonly to: number;
}

/** A text and its classified spans, in order and without overlaps; they may touch and may be empty. */
export interface MarkedDocument {
  readonly text: string;
  readonly spans: readonly TextSpan[];
}

/** A stretch of text that is classified as a whole, or not at all. */
export interface Segment {
  readonly text: string;
  readonly classified: boolean;
}

/** A marked text breaks a rule. Line and column begin at 1; a line ends with a line feed, a column is a code point. */
export class MarkupError extends Error {
  override readonly name: string = "MarkupError";
  readonly line: number;
  readonly column: number;
  readonly reason: string;

  constructor(place: Place, reason: string) {
    super(t`line ${{ line: place.line }}, column ${{ column: place.column }}: ${reason}`);
    this.line = place.line;
    this.column = place.column;
    this.reason = reason;
  }
}

/** The bytes are not UTF-8. */
export class NotUtf8 extends MarkupError {
  override readonly name = "NotUtf8";

  constructor(place: Place) {
    super(place, NOT_UTF8);
  }
}

/** Spans out of order, outside the text, or inside a character. It names a span by number, never by position. */
export class SpanError extends Error {
  override readonly name = "SpanError";
}

interface Place {
  readonly line: number;
  readonly column: number;
}

/**
 * The document that `marked` writes.
 *
 * @throws MarkupError if it is not well-formed.
 */
export function parse(marked: string): MarkedDocument {
  const pieces: string[] = [];
  const spans: TextSpan[] = [];
  let length = 0;
  let opened = -1;
  let at = 0;
  const add = (end: number) => {
    const piece = unescapeTags(marked.slice(at, end));
    pieces.push(piece);
    length += piece.length;
  };
  let from = 0;
  for (let tag = nextTag(marked, 0); tag >= 0; tag = nextTag(marked, tag + 4)) {
    const opens = marked[tag + 2] === "S";
    if (opens === opened >= 0 || (opens && spans.length === MAX_SPANS)) {
      throw new MarkupError(placeOf(marked, tag), faultOf(marked, opens, opened));
    }
    add(tag);
    if (opens) {
      opened = tag;
      from = length;
    } else {
      opened = -1;
      spans.push({ from, to: length });
    }
    at = tag + 4;
  }
  if (opened >= 0) {
    throw new MarkupError(
      placeOf(marked, opened),
      t`<$S> opens a span that never ends; remove it or add a <$E> after it`,
    );
  }
  add(marked.length);
  return { text: pieces.join(""), spans };
}

/** Where the next real tag begins, or -1. */
function nextTag(marked: string, start: number): number {
  for (let at = marked.indexOf("<$", start); at >= 0; at = marked.indexOf("<$", at + 2)) {
    const letter = marked[at + 2];
    if ((letter === "S" || letter === "E") && marked[at + 3] === ">") return at;
  }
  return -1;
}

function faultOf(marked: string, opens: boolean, opened: number): string {
  if (!opens) return t`<$E> closes a span, but none is open; remove it or add a <$S> before it`;
  if (opened < 0) return t`<$S> opens one span more than the ${MAX_SPANS} that a document may have`;
  const { line, column } = placeOf(marked, opened);
  return t`<$S> opens a span inside the one opened at line ${line}, column ${column}; remove it or add a <$E> before it`;
}

/**
 * The marked text that writes the document.
 *
 * @throws SpanError if the spans are out of order or overlap, reach past the text, or cut a character.
 */
export function print(document: MarkedDocument): string {
  return printSegments(segments(document));
}

/** The marked text of segments, in order. Classified ones that follow each other are spans of their own. */
export function printSegments(all: Iterable<Segment>): string {
  const pieces: string[] = [];
  let plain = "";
  for (const { text, classified } of all) {
    // A segment is the text between two tags, so consecutive plain pieces are escaped as one.
    if (!classified) plain += text;
    else {
      pieces.push(escapeTags(plain), START_TAG, escapeTags(text), END_TAG);
      plain = "";
    }
  }
  pieces.push(escapeTags(plain));
  return pieces.join("");
}

/**
 * The document's text, cut at the edges of its spans. An empty span is an empty classified segment.
 *
 * @throws SpanError if the spans break a rule of spans.
 */
export function segments({ text, spans }: MarkedDocument): Segment[] {
  const found: Segment[] = [];
  let at = 0;
  spans.forEach(({ from, to }, index) => {
    if (from < at) throw new SpanError(`span ${index + 1} begins before span ${index} ends; sort the spans`);
    if (to < from) throw new SpanError(`span ${index + 1} ends before it begins`);
    if (to > text.length) throw new SpanError(`span ${index + 1} reaches past the end of the document`);
    for (const [edge, verb] of [
      [from, "begins"],
      [to, "ends"],
    ] as const) {
      if (cutsPair(text, edge)) {
        throw new SpanError(`span ${index + 1} ${verb} inside a character; move it to one of its ends`);
      }
    }
    if (from > at) found.push({ text: text.slice(at, from), classified: false });
    found.push({ text: text.slice(from, to), classified: true });
    at = to;
  });
  if (at < text.length) found.push({ text: text.slice(at), classified: false });
  return found;
}

/** Whether `offset` is within a surrogate pair. */
export function cutsPair(text: string, offset: number): boolean {
  const after = text.charCodeAt(offset);
  const before = text.charCodeAt(offset - 1);
  return after >= 0xdc00 && after < 0xe000 && before >= 0xd800 && before < 0xdc00;
}

export function escapeTags(text: string): string {
  return text.includes("<$") ? text.replace(/<(\$+[SE]>)/g, "<$$$1") : text;
}

function unescapeTags(text: string): string {
  return text.includes("<$$") ? text.replace(/<\$(\$+[SE]>)/g, "<$1") : text;
}

/**
 * The document that these bytes write.
 *
 * @throws MarkupError for the first fault; NotUtf8, one of them, if it is that the bytes are not UTF-8.
 */
export function parseBytes(bytes: Uint8Array): MarkedDocument {
  let marked: string;
  try {
    marked = decode(bytes);
  } catch (error) {
    // A tag out of place before the bad bytes is the first fault; a span still open there is none.
    if (error instanceof NotUtf8) {
      const valid = decode(bytes.subarray(0, validLength(bytes)));
      const open = valid.lastIndexOf(START_TAG) > valid.lastIndexOf(END_TAG);
      parse(open ? valid + END_TAG : valid);
    }
    throw error;
  }
  return parse(marked);
}

/**
 * The text of these bytes; a byte order mark is kept.
 *
 * @throws NotUtf8 with the place where the first bad code point begins.
 */
export function decode(bytes: Uint8Array): string {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  try {
    return decoder.decode(bytes);
  } catch {
    const valid = decoder.decode(bytes.subarray(0, validLength(bytes)));
    throw new NotUtf8(placeOf(valid, valid.length));
  }
}

/** How many bytes from the start are whole UTF-8. */
function validLength(bytes: Uint8Array): number {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const isCodePoint = (from: number, to: number) => {
    try {
      return to <= bytes.length && decoder.decode(bytes.subarray(from, to)).length > 0;
    } catch {
      return false;
    }
  };
  let at = 0;
  while (at < bytes.length) {
    const lead = bytes[at] ?? 0;
    const size = lead < 0x80 ? 1 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead >= 0x80 && !isCodePoint(at, at + size)) break;
    at += size;
  }
  return at;
}

function placeOf(text: string, offset: number): Place {
  let line = 1;
  let start = 0;
  for (let at = text.indexOf("\n"); at >= 0 && at < offset; at = text.indexOf("\n", at + 1)) {
    line++;
    start = at + 1;
  }
  let column = 1;
  for (const _ of text.slice(start, offset)) column++;
  return { line, column };
}
