/** The sample files that every implementation of the markup is tested against; see their README. */

import { readFileSync } from "node:fs";

interface Sample {
  readonly file: string;
  readonly content: string;
  /** Byte offsets in the UTF-8 of the content. */
  readonly spans: readonly (readonly [number, number])[];
}

interface MalformedSample {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly reason: string;
}

// In two steps: Vite takes `new URL(…, import.meta.url)` for an asset of the page.
const here = import.meta.url;
const FOLDER = new URL("../../../backend/tests/samples/", here);

function bytesOf(file: string): Uint8Array {
  return Uint8Array.from(readFileSync(new URL(file, FOLDER)));
}

interface Index {
  readonly documents: readonly Sample[];
  readonly malformed: readonly MalformedSample[];
}

const index = JSON.parse(new TextDecoder().decode(bytesOf("index.json"))) as Index;

export const samples = index.documents.map((sample) => ({ ...sample, marked: bytesOf(sample.file) }));
export const malformedSamples = index.malformed.map((sample) => ({ ...sample, marked: bytesOf(sample.file) }));

/** UTF-8, as an array of the test's own realm: jsdom's TextEncoder makes those of another, which never compare equal. */
export function encode(text: string): Uint8Array {
  return Uint8Array.from(new TextEncoder().encode(text));
}

/** The bytes of a sample that are in none of its spans: its plain stream. */
export function plainBytes({ content, spans }: Sample): Uint8Array {
  const bytes = encode(content);
  return bytes.filter((_, at) => !spans.some(([from, to]) => at >= from && at < to));
}
