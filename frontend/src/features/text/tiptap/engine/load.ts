/** From marked text to the editor's document; an empty or different document is never the answer to one that fails. */

import type { Node, Schema } from "@tiptap/pm/model";
import { MarkupError, parse, segments } from "@/marked-text/markup";
import { MOST_BYTES } from "@/marked-text/most-bytes";
import { isWellFormed, utf8Size } from "@/marked-text/utf8";
import { buildChunks, buildLines } from "./build";
import { partsOf } from "./schema/schema";
import { serialise } from "./serialise";

/** The document cannot be edited here; the message is one sentence for people. */
export class LoadError extends Error {
  override readonly name = "LoadError";
}

export type Held = { readonly holds: true } | { readonly holds: false; readonly why: string };

/** Whether the editor can hold this marked text; if not, why. What it cannot hold can still be shown and sent. */
export function canHold(marked: string): Held {
  try {
    const { text, spans } = parse(marked);
    const why = whyNot(text, spans);
    return why === null ? { holds: true } : { holds: false, why };
  } catch (error) {
    if (error instanceof MarkupError) return { holds: false, why: `The marks do not fit: ${error.message}.` };
    throw error;
  }
}

function whyNot(text: string, spans: readonly { from: number; to: number }[]): string | null {
  const bytes = utf8Size(text);
  if (bytes > MOST_BYTES) {
    const size = (Math.ceil(bytes / 10_000) / 100).toFixed(2);
    return `The document has ${size} MB, and the editor holds 2 MB at most.`;
  }
  if (text.includes("\0")) return "The document has NUL characters, which an editor would lose.";
  if (!isWellFormed(text)) return "The document has half characters (lone surrogates), which an editor would lose.";
  const empty = spans.findIndex(({ from, to }) => from === to);
  if (empty >= 0) {
    return `Classified span ${empty + 1} of ${spans.length} is empty, and an editor would lose it.`;
  }
  return null;
}

/**
 * The document of this marked text, in `schema`. It serialises to the very same marked text.
 *
 * @throws MarkupError if the text is not well-formed, LoadError if the editor cannot hold it.
 */
export function load(marked: string, schema: Schema): Node {
  const document = parse(marked);
  const why = whyNot(document.text, document.spans);
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
    throw new LoadError(
      "The editor did not take the document in unchanged; it stays as it is and cannot be edited here.",
    );
  }
}
