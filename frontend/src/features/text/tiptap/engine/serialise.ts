/** From the editor's document to what leaves it. */

import type { Node } from "@tiptap/pm/model";
import { printSegments } from "@/marked-text/markup";
import { runsOf } from "./runs";

/** The marked text. Touching spans of different ids stay two. */
export function serialise(doc: Node): string {
  return printSegments(runsOf(doc).map(({ text, span }) => ({ text, classified: span !== null })));
}

/** The text without its classified characters: just what somebody on the plain channel sees. */
export function plainText(doc: Node): string {
  let plain = "";
  for (const { text, span } of runsOf(doc)) if (span === null) plain += text;
  return plain;
}

export interface Counts {
  readonly documentBytes: number;
  readonly classifiedBytes: number;
  readonly plainBytes: number;
  /** P, the classified part of the document: 0 to 1; 0 if the document is empty. */
  readonly proportion: number;
  readonly spans: number;
}

/** Sizes in UTF-8 bytes. */
export function counts(doc: Node): Counts {
  let documentBytes = 0;
  let classifiedBytes = 0;
  let spans = 0;
  for (const { bytes, span } of runsOf(doc)) {
    documentBytes += bytes;
    if (span !== null) {
      classifiedBytes += bytes;
      spans++;
    }
  }
  return {
    documentBytes,
    classifiedBytes,
    plainBytes: documentBytes - classifiedBytes,
    proportion: documentBytes ? classifiedBytes / documentBytes : 0,
    spans,
  };
}
