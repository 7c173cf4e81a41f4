/** The line of a file that contains an error. */
import type { Place } from "./scan";

const AROUND_BYTES = 160;
const LINE_FEED = 0x0a;

/** A line before and after the error. `cutBefore`, `cutAfter`: the line has more text on that side. */
export interface Excerpt {
  readonly before: string;
  readonly after: string;
  readonly cutBefore: boolean;
  readonly cutAfter: boolean;
}

/** Reads the line at `place`, or the part of a long line near it. Invalid UTF-8 becomes `�`. */
export async function readExcerpt(file: Blob, place: Place, signal: AbortSignal): Promise<Excerpt> {
  const { lineStart, at } = await offsetsOf(file, place, signal);
  const from = Math.max(lineStart, at - AROUND_BYTES);
  const bytes = new Uint8Array(await file.slice(from, at + AROUND_BYTES).arrayBuffer());
  const feed = bytes.indexOf(LINE_FEED, at - from);
  const end = feed < 0 ? bytes.length : feed;
  return {
    before: text(bytes.subarray(0, at - from), from === lineStart),
    after: text(bytes.subarray(at - from, end), true),
    cutBefore: from > lineStart,
    cutAfter: feed < 0 && from + bytes.length < file.size,
  };
}

/** The byte offsets of the line and of the place; the end of the file if the place is beyond it. */
async function offsetsOf(file: Blob, place: Place, signal: AbortSignal): Promise<{ lineStart: number; at: number }> {
  const reader = file.stream().getReader();
  let line = 1;
  let column = 0;
  let lineStart = 0;
  let base = 0;
  try {
    for (;;) {
      signal.throwIfAborted();
      const { done, value } = await reader.read();
      if (done) return { lineStart, at: base };
      let index = 0;
      while (line < place.line) {
        const feed = value.indexOf(LINE_FEED, index);
        if (feed < 0) break;
        line++;
        index = feed + 1;
        lineStart = base + index;
      }
      if (line === place.line) {
        for (; index < value.length; index++) {
          // Counts the first byte of each code point.
          if (((value[index] ?? 0) & 0xc0) !== 0x80 && ++column === place.column)
            return { lineStart, at: base + index };
        }
      }
      base += value.length;
    }
  } finally {
    void reader.cancel().catch(() => {});
  }
}

/** Decodes the bytes, without parts of a code point that was cut at the beginning. */
function text(bytes: Uint8Array, begins: boolean): string {
  let start = 0;
  while (!begins && start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
  return new TextDecoder().decode(bytes.subarray(start)).replace(/\r$/, "");
}
