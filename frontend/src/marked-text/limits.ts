/** Which texts can be edited. Apart from the editors, so that asking does not load one. */
import { t } from "@lingui/core/macro";
import { sizeText } from "@/lib/sizes";
import { type MarkedDocument, MarkupError, parse } from "./markup";

/** The largest document, in bytes, of the editor for short texts; longer ones open in the editor for long texts. */
export const MOST_SHORT_BYTES = 2_000_000;
/** The largest document, in bytes, of the editor for long texts. */
export const MOST_LONG_BYTES = 100_000_000;

/** An editor cannot hold the document; the message is one sentence for people. */
export class LoadError extends Error {
  override readonly name = "LoadError";
}

/** Why no editor can hold this document, in a sentence; null if nothing in it is against that. */
export function whyNotEditable({ text, spans }: MarkedDocument): string | null {
  if (text.includes("\0")) return t`The document contains NUL characters, which the editor would lose.`;
  const empty = spans.findIndex(({ from, to }) => from === to);
  if (empty < 0) return null;
  return t`Classified span ${{ index: empty + 1 }} of ${{ count: spans.length }} is empty, and the editor would lose it.`;
}

/** Why the editor for long texts cannot hold this marked text; null if it can. `bytes`: the document's. */
export function whyNotLong(marked: string, bytes: number): string | null {
  if (bytes > MOST_LONG_BYTES)
    return t`The document is larger than ${{ size: sizeText(MOST_LONG_BYTES) }}, the limit for editing here.`;
  return whyNotMarked(marked, whyNotEditable);
}

/** Why this is not marked text, or what `whyNot` says of it. */
export function whyNotMarked(marked: string, whyNot: (document: MarkedDocument) => string | null): string | null {
  try {
    return whyNot(parse(marked));
  } catch (error) {
    if (error instanceof MarkupError) return t`The tags do not match: ${{ fault: error.message }}.`;
    throw error;
  }
}
