/** Which texts the editor of long texts holds. Apart, so that asking for it does not load the editor. */

import { sizeText } from "@/lib/sizes";
import { type MarkedDocument, MarkupError, parse } from "./markup";

/** The most that it holds, in bytes of the document. */
export const MOST_LARGE_BYTES = 100_000_000;

/** Why it cannot hold this marked text, in a sentence; null if it can. `bytes`: the document's. */
export function whyNotLarge(marked: string, bytes: number): string | null {
  if (bytes > MOST_LARGE_BYTES)
    return `It is larger than the ${sizeText(MOST_LARGE_BYTES)} up to which texts are edited here.`;
  if (marked.includes("\0")) return "The document has NUL characters, which an editor would lose.";
  let document: MarkedDocument;
  try {
    document = parse(marked);
  } catch (error) {
    if (error instanceof MarkupError) return `The marks do not fit: ${error.message}.`;
    throw error;
  }
  const empty = document.spans.findIndex(({ from, to }) => from === to);
  if (empty < 0) return null;
  return `Classified span ${empty + 1} of ${document.spans.length} is empty, and an editor would lose it.`;
}
