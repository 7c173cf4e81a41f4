/** From marked text to the editor's document. A text that fails to load never becomes an empty or a different one. */

import { t } from "@lingui/core/macro";
import type { Node, Schema } from "@tiptap/pm/model";
import { numberText } from "@/lib/numbers";
import { LoadError, MOST_SHORT_BYTES, whyNotEditable, whyNotMarked } from "@/marked-text/limits";
import { type MarkedDocument, parse, segments } from "@/marked-text/markup";
import { isWellFormed, utf8Size } from "@/marked-text/utf8";
import { buildChunks, buildLines } from "./build";
import { partsOf } from "./schema/schema";
import { serialise } from "./serialise";

/** Why this editor cannot hold this marked text, in a sentence; null if it can. It can still be shown and sent. */
export function whyNotShort(marked: string): string | null {
  return whyNotMarked(marked, whyNot);
}

function whyNot(document: MarkedDocument): string | null {
  const bytes = utf8Size(document.text);
  if (bytes > MOST_SHORT_BYTES) {
    const size = numberText(Math.ceil(bytes / 10_000) / 100, { minimumFractionDigits: 2 });
    return t`The document has ${size} MB. This editor can open up to 2 MB.`;
  }
  if (!isWellFormed(document.text))
    return t`The document contains incomplete characters (lone surrogates), which the editor would lose.`;
  return whyNotEditable(document);
}

/**
 * The document of this marked text, in `schema`. It serialises to exactly the same marked text.
 *
 * @throws MarkupError if the text is not well-formed, LoadError if the editor cannot hold it.
 */
export function load(marked: string, schema: Schema): Node {
  const document = parse(marked);
  const why = whyNot(document);
  if (why !== null) throw new LoadError(why);
  let next = 1;
  const texts = segments(document).map(({ text, classified }) => ({ text, span: classified ? next++ : null }));
  const lines = buildLines(schema, texts, { before: "", beforeSpan: null });
  const doc = partsOf(schema).doc.create(null, buildChunks(schema, lines));
  checkHolds(doc, marked);
  return doc;
}

/** That the document is this marked text and no other. */
function checkHolds(doc: Node, marked: string): void {
  if (serialise(doc) !== marked) {
    throw new LoadError(t`The editor would change the document, so it cannot be edited here.`);
  }
}
