/** Sizes in UTF-8, the unit of everything that leaves the editor. */

const ENCODER = new TextEncoder();

/** Bytes of `text` in UTF-8. A lone surrogate counts 3, as the replacement character that it is sent as. */
export function utf8Size(text: string): number {
  if (text.length > 2048) return ENCODER.encode(text).length;
  let size = text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) continue;
    if (unit < 0x800) size += 1;
    else {
      size += 2;
      const next = unit >= 0xd800 && unit < 0xdc00 ? text.charCodeAt(at + 1) : 0;
      if (next >= 0xdc00 && next < 0xe000) at++;
    }
  }
  return size;
}

/** Bytes before the UTF-16 offset `offset` of `text`, which must not cut a surrogate pair. */
export function byteOffset(text: string, offset: number): number {
  return utf8Size(text.slice(0, offset));
}

/** Whether the text can be encoded in UTF-8: it has no lone surrogate. */
export function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}
