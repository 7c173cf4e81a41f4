/** Text in other encodings than UTF-8, which is converted before it is imported. */
import { isText } from "@/api/media-types";
import { MOST_LONG_BYTES } from "@/marked-text/limits";

/** The name of an encoding for people. */
export type Encoding = "UTF-16" | "Latin-1";

const HEAD_BYTES = 65_536;
/** Bytes that no text in Windows-1252 has: control characters, and the five that it leaves undefined. */
const NOT_LATIN = /[^\P{Cc}\t\n\v\f\r\x80-\x9f]|[\x81\x8d\x8f\x90\x9d]/u;

/**
 * A file that is not UTF-8 as UTF-8, if it is text in UTF-16 with a byte order mark, or in Latin-1 (read as
 * Windows-1252, which contains it); else null.
 */
export async function asUtf8(file: File): Promise<{ file: File; encoding: Encoding } | null> {
  if (file.size > MOST_LONG_BYTES || !(file.type === "" || isText(file.type))) return null;
  const head = new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer());
  const label = labelOf(head);
  if (label === null) return null;
  let text: string;
  try {
    text = new TextDecoder(label, { fatal: true }).decode(await file.arrayBuffer());
  } catch (error) {
    // Half a character of UTF-16.
    if (error instanceof TypeError) return null;
    throw error;
  }
  if (label === "windows-1252" ? NOT_LATIN.test(text) : text.includes("\0")) return null;
  return {
    file: new File([text], file.name, { type: file.type }),
    // not a text
    encoding: label === "windows-1252" ? "Latin-1" : "UTF-16",
  };
}

function labelOf(head: Uint8Array): "utf-16le" | "utf-16be" | "windows-1252" | null {
  if (head[0] === 0xff && head[1] === 0xfe) return "utf-16le";
  if (head[0] === 0xfe && head[1] === 0xff) return "utf-16be";
  return NOT_LATIN.test(String.fromCharCode(...head.subarray(0, 4096))) ? null : "windows-1252";
}
