/**
 * Text with its classification on a clipboard, for whichever editor it comes from or goes to.
 *
 * Where marked text is lost on the way (pasting "as plain text", some desktops), the last copy made in this page is
 * remembered, and the same text is taken to be that copy: in doubt, classified.
 */

import { MARKED_TYPE } from "./marked-type";
import { MarkupError, parse, printSegments, type Segment, segments } from "./markup";

/** What was copied last, as marked text; only if some of it was classified. */
let lastCopy: string | null = null;

export function writeTexts(data: DataTransfer, texts: readonly Segment[]): void {
  data.clearData();
  data.setData("text/plain", plainText(texts));
  lastCopy = texts.some(({ classified }) => classified) ? printSegments(texts) : null;
  if (lastCopy !== null) data.setData(MARKED_TYPE, lastCopy);
}

/** The texts of a copy that was made here, if the clipboard's text, or `text`, is that copy; else null. */
export function readMarked(data: DataTransfer, text = readPlain(data)): Segment[] | null {
  if (!text) return null;
  for (const marked of [data.getData(MARKED_TYPE), lastCopy]) {
    const texts = marked ? markedTexts(marked) : null;
    if (texts && withoutReturns(plainText(texts)) === withoutReturns(text)) return texts;
  }
  return null;
}

/** The plain text of a clipboard, as an editor can hold it. */
export function readPlain(data: DataTransfer): string {
  return heldText(data.getData("text/plain"));
}

/** A text without NUL and lone surrogates, which no editor can hold. */
export function heldText(text: string): string {
  return text.replace(/\p{Surrogate}|\0/gu, "\ufffd");
}

export function plainText(texts: readonly Segment[]): string {
  return texts.map(({ text }) => text).join("");
}

function markedTexts(marked: string): Segment[] | null {
  try {
    return segments(parse(marked)).filter(({ text }) => text !== "");
  } catch (error) {
    if (error instanceof MarkupError) return null;
    throw error;
  }
}

/** Clipboards change line ends. */
function withoutReturns(text: string): string {
  return text.replace(/\r\n?/g, "\n");
}
