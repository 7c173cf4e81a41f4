/**
 * Scans a file before the upload: is it UTF-8, does it contain tags, and do they match?
 *
 * It reads the file once, piece by piece. Invariant: it finds the same first fault as the gateway, at the same place
 * and in the same words as `marked-text/markup.ts`.
 */
import { decode, NotUtf8 } from "@/marked-text/markup";

/** Line and column from 1; a line ends with a line feed, a column is a code point. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

interface Fault extends Place {
  readonly reason: string;
}

export interface ScanResult {
  /** The first invalid UTF-8; null for text. The other fields are about the text before it. */
  readonly notUtf8: Fault | null;
  /** Matching pairs of `<$S>` and `<$E>`. */
  readonly spans: number;
  /** All `<$S>` and `<$E>`. */
  readonly tags: number;
  /** Escaped tags such as `<$$S>`, which stand for literal tags. */
  readonly escapes: number;
  /** Why it is not valid marked text; null if it is. */
  readonly fault: Fault | null;
}

/** The most spans that a document may have. */
export const MAX_SPANS = 1_000_000;
const TAG = /<(\$+)([SE])>/g;
const CUT_TAG = /<(?:\$+[SE]?)?$/;
/** An incomplete tag longer than this does not count as one; the gateway decides exactly. */
const LONGEST_TAG = 1_000;

/** Scans the pieces of a file. Do not use it after `close`. */
export class Scanner {
  #bytes = new Uint8Array();
  #text = "";
  #place: Place = { line: 1, column: 1 };
  #opened: Place | null = null;
  #notUtf8: Fault | null = null;
  #fault: Fault | null = null;
  #spans = 0;
  #tags = 0;
  #escapes = 0;

  /** False once the file turned out not to be text. */
  get wantsMore(): boolean {
    return this.#notUtf8 === null;
  }

  feed(piece: Uint8Array): void {
    if (!this.wantsMore) return;
    const bytes = this.#bytes.length > 0 ? joined(this.#bytes, piece) : piece;
    const whole = wholeLength(bytes);
    this.#bytes = bytes.slice(whole);
    this.#decode(bytes.subarray(0, whole));
  }

  close(): ScanResult {
    if (this.wantsMore) this.#decode(this.#bytes);
    this.#read(this.#text);
    if (this.#opened && !this.#fault && !this.#notUtf8) {
      this.#fault = { ...this.#opened, reason: "<$S> opens a span that never ends; remove it or add a <$E> after it" };
    }
    return {
      notUtf8: this.#notUtf8,
      spans: this.#spans,
      tags: this.#tags,
      escapes: this.#escapes,
      fault: this.#fault,
    };
  }

  #decode(bytes: Uint8Array): void {
    let text: string;
    try {
      text = this.#text + decode(bytes);
    } catch (error) {
      if (!(error instanceof NotUtf8)) throw error;
      const from = placeAfter(this.#place, this.#text);
      const column = error.line === 1 ? from.column + error.column - 1 : error.column;
      this.#notUtf8 = { line: from.line + error.line - 1, column, reason: error.reason };
      return;
    }
    const cut = text.lastIndexOf("<");
    const waits = cut >= 0 && text.length - cut < LONGEST_TAG && CUT_TAG.test(text.slice(cut));
    this.#text = waits ? text.slice(cut) : "";
    this.#read(waits ? text.slice(0, cut) : text);
  }

  /** `text` continues the previous text and does not end inside a tag. */
  #read(text: string): void {
    let at = 0;
    const placeOf = (index: number) => {
      this.#place = placeAfter(this.#place, text.slice(at, index));
      at = index;
      return this.#place;
    };
    let opened = -1;
    for (const tag of text.matchAll(TAG)) {
      if (tag[1] !== "$") {
        this.#escapes++;
        continue;
      }
      this.#tags++;
      if (this.#fault) continue;
      const opens = tag[2] === "S";
      const open = opened >= 0 || this.#opened !== null;
      if (opens === open || (opens && this.#spans === MAX_SPANS)) {
        if (opened >= 0) this.#opened = placeOf(opened);
        this.#fault = { ...placeOf(tag.index), reason: faultOf(opens, this.#opened) };
      } else if (opens) {
        opened = tag.index;
      } else {
        opened = -1;
        this.#opened = null;
        this.#spans++;
      }
    }
    if (opened >= 0 && !this.#fault) this.#opened = placeOf(opened);
    placeOf(text.length);
  }
}

/** The place after `text`, which begins at `place`. */
function placeAfter(place: Place, text: string): Place {
  let { line } = place;
  let start = -1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) {
    line++;
    start = at;
  }
  let column = start < 0 ? place.column : 1;
  for (const _ of text.slice(start + 1)) column++;
  return { line, column };
}

function faultOf(opens: boolean, opened: Place | null): string {
  if (!opens) return "<$E> closes a span, but none is open; remove it or add a <$S> before it";
  if (!opened) return `<$S> opens one span more than the ${MAX_SPANS} that a document may have`;
  return (
    `<$S> opens a span inside the one opened at line ${opened.line}, column ${opened.column}; ` +
    "remove it or add a <$E> before it"
  );
}

/** The number of bytes without an incomplete code point at the end. */
export function wholeLength(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte >= 0xc0) {
      const wanted = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return wanted > back ? bytes.length - back : bytes.length;
    }
    if (byte < 0x80) break;
  }
  return bytes.length;
}

function joined(head: Uint8Array, tail: Uint8Array): Uint8Array {
  const both = new Uint8Array(head.length + tail.length);
  both.set(head);
  both.set(tail, head.length);
  return both;
}

/**
 * Scans a file. `onRead` is called with the number of bytes read so far.
 *
 * @throws the browser's error if it cannot read the file; the signal's reason if it is aborted.
 */
export async function scan(file: Blob, signal: AbortSignal, onRead: (bytes: number) => void): Promise<ScanResult> {
  const scanner = new Scanner();
  const reader = file.stream().getReader();
  let read = 0;
  try {
    while (scanner.wantsMore) {
      signal.throwIfAborted();
      const { done, value } = await reader.read();
      if (done) break;
      scanner.feed(value);
      read += value.length;
      onRead(read);
    }
  } finally {
    void reader.cancel().catch(() => {});
  }
  signal.throwIfAborted();
  return scanner.close();
}
