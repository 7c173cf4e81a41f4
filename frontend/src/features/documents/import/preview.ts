/** Previews of a file for each way of importing it. */
import { decode, MarkupError, NotUtf8, parse, type Segment, segments } from "@/marked-text/markup";
import { wholeLength } from "./scan";

const HEAD_BYTES = 65_536;
const SHOWN_LINES = 8;
const SHOWN_CHARACTERS = 700;

/** `whole`: this is all of the file. */
export interface FileHead {
  readonly text: string;
  readonly whole: boolean;
}

/** The first 64 KB, up to the end of a line or of a character; null if they are not UTF-8. */
export async function readHead(file: Blob): Promise<FileHead | null> {
  const bytes = new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer());
  const whole = file.size <= HEAD_BYTES;
  try {
    const text = decode(whole ? bytes : bytes.subarray(0, wholeLength(bytes)));
    return { text: whole ? text : text.slice(0, text.lastIndexOf("\n") + 1 || text.length), whole };
  } catch (error) {
    if (error instanceof NotUtf8) return null;
    throw error;
  }
}

/** `more`: the document is longer. */
export interface Preview {
  readonly segments: readonly Segment[];
  readonly more: boolean;
}

/** The first lines as marked text; null if they are not. */
export function markedPreview({ text, whole }: FileHead): Preview | null {
  try {
    return firstLines(segments(parse(whole ? text : closed(text))), whole);
  } catch (error) {
    if (error instanceof MarkupError) return null;
    throw error;
  }
}

/** The first lines if every character is content. */
export function literalPreview({ text, whole }: FileHead): Preview {
  return firstLines([{ text, classified: false }], whole);
}

/** Removes an incomplete tag from the end, and closes an open span. */
function closed(text: string): string {
  const kept = text.replace(/<(?:\$+[SE]?)?$/, "");
  return kept.lastIndexOf("<$S>") > kept.lastIndexOf("<$E>") ? `${kept}<$E>` : kept;
}

function firstLines(all: readonly Segment[], whole: boolean): Preview {
  const shown: Segment[] = [];
  let lines = SHOWN_LINES;
  let room = SHOWN_CHARACTERS;
  for (const segment of all) {
    const end = endOf(segment.text, lines, room);
    const text = segment.text.slice(0, end);
    shown.push({ text, classified: segment.classified });
    if (end < segment.text.length) return { segments: shown, more: true };
    lines -= text.split("\n").length - 1;
    room -= text.length;
  }
  return { segments: shown, more: !whole };
}

/** Where the preview ends: at the end of its last line, or between two characters if it is full. */
function endOf(text: string, lines: number, room: number): number {
  let end = -1;
  for (let line = 0; line < lines; line++) {
    end = text.indexOf("\n", end + 1);
    if (end < 0) break;
  }
  const limit = end < 0 ? text.length : end;
  if (limit <= room) return limit;
  const after = text.charCodeAt(room);
  return after >= 0xdc00 && after < 0xe000 && room > 0 ? room - 1 : room;
}
