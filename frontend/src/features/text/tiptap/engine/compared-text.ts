/**
 * The document's text as one string to look for phrases in, and the ways between it, the text, and positions.
 *
 * White space is one space there, however much there is and of which kind, so that a phrase is found across line ends.
 * "folded" also forgets capitals, compatible forms (NFKC) and characters that nobody sees, such as soft hyphens.
 * What is read from a chunk is remembered for that chunk; after a keystroke only the chunk that changed is read again.
 */

import type { Node } from "@tiptap/pm/model";
import { lineAttributes } from "./schema/schema";

export type Form = "exact" | "folded";

/** Characters of the text: UTF-16 offsets. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** A string in a form, and where it is not as long as what it came from. */
export interface Formed {
  readonly normal: string;
  /** Four numbers each, in order: from and to in `normal`, from and to in the text. */
  readonly bends: readonly number[];
}

interface ChunkText {
  readonly text: string;
  /** Of each line's text: where it begins and ends in `text`, and its position, counted from the chunk's own. */
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  readonly positions: readonly number[];
}

interface Part {
  readonly chunk: ChunkText;
  readonly formed: Formed;
  readonly pos: number;
  readonly textFrom: number;
  readonly normalFrom: number;
  /** The space that the chunk begins with is the one that the chunk before ended with. */
  readonly skipped: 0 | 1;
}

const WHITE_SPACE = /\s{2,}|[^\S ]/g;
const NO_ASCII = /[^\0-\x7f]/;
/** What does not stay one character for one, or may not: white space, what combines, what is not ASCII. */
const TO_FOLD = /\s{2,}|[^\S ]|\P{M}?\p{M}+|[\u1100-\u11ff]+|[^\0-\x7f]/gu;

const foldings = new Map<string, string>();

function folded(characters: string): string {
  let found = foldings.get(characters);
  if (found === undefined) {
    // To capitals first: "ß" is "ss", and all forms of sigma are one.
    const folding = characters.normalize("NFKC").toUpperCase().toLowerCase().normalize("NFKC");
    found = folding.replace(/\p{Default_Ignorable_Code_Point}/gu, "");
    if (foldings.size > 20_000) foldings.clear();
    foldings.set(characters, found);
  }
  return found;
}

export function form(text: string, as: Form): Formed {
  const folds = as === "folded";
  const pattern = folds && NO_ASCII.test(text) ? TO_FOLD : WHITE_SPACE;
  const bends: number[] = [];
  let normal = "";
  let at = 0;
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const [found] = match;
    const between = text.slice(at, match.index);
    const to = /\S/.test(found) ? folded(found) : " ";
    normal += folds ? between.toLowerCase() : between;
    at = match.index + found.length;
    if (to.length !== found.length) bends.push(normal.length, normal.length + to.length, match.index, at);
    normal += to;
  }
  const rest = at === 0 ? text : text.slice(at);
  return { normal: normal + (folds ? rest.toLowerCase() : rest), bends };
}

/** Whether the form of these two texts is that of the first and then that of the second. */
export function isParted(before: string, after: string): boolean {
  return !/^\p{M}/u.test(after) && !JOINED.some(([end, start]) => end.test(before) && start.test(after));
}

/** White space, what a syllable is put together from, the halves of a surrogate pair. */
const JOINED = [
  [/\s$/, /^\s/],
  [/[\u1100-\u11ff]$/, /^[\u1100-\u11ff]/],
  [/[\ud800-\udbff]$/, /^[\udc00-\udfff]/],
] as const;

/** A phrase as it stands in the text of that form, without white space around it. */
export function formOf(phrase: string, as: Form): string {
  return form(phrase, as).normal.trim();
}

const readChunks = new WeakMap<Node, ChunkText>();
const formedChunks = { exact: new WeakMap<Node, Formed>(), folded: new WeakMap<Node, Formed>() };

function readChunk(chunk: Node, dropFirstEnd: boolean): ChunkText {
  const starts: number[] = [];
  const ends: number[] = [];
  const positions: number[] = [];
  let text = "";
  chunk.forEach((line, offset, index) => {
    if (!(dropFirstEnd && index === 0)) text += lineAttributes(line).before;
    starts.push(text.length);
    line.forEach((node) => {
      text += node.text ?? "";
    });
    ends.push(text.length);
    positions.push(offset + 2);
  });
  return { text, starts, ends, positions };
}

function remembered<Value>(memory: WeakMap<Node, Value>, chunk: Node, make: () => Value): Value {
  let value = memory.get(chunk);
  if (value === undefined) {
    value = make();
    memory.set(chunk, value);
  }
  return value;
}

const texts = { exact: new WeakMap<Node, ComparedText>(), folded: new WeakMap<Node, ComparedText>() };

export function comparedText(doc: Node, as: Form): ComparedText {
  return remembered(texts[as], doc, () => new ComparedText(doc, as));
}

export class ComparedText {
  readonly text: string;
  readonly normal: string;
  readonly #parts: readonly Part[];

  constructor(doc: Node, as: Form) {
    const parts: Part[] = [];
    let text = "";
    let normal = "";
    let endsInSpace = false;
    doc.forEach((node, pos, index) => {
      // The first line of the document has no line end before it, whatever it says.
      const first = index === 0 && node.firstChild && lineAttributes(node.firstChild).before !== "";
      const chunk = first ? readChunk(node, true) : remembered(readChunks, node, () => readChunk(node, false));
      const formed = first ? form(chunk.text, as) : remembered(formedChunks[as], node, () => form(chunk.text, as));
      const skipped = endsInSpace && formed.normal.startsWith(" ") ? 1 : 0;
      parts.push({ chunk, formed, pos, textFrom: text.length, normalFrom: normal.length, skipped });
      text += chunk.text;
      normal += skipped ? formed.normal.slice(1) : formed.normal;
      if (formed.normal !== "") endsInSpace = formed.normal.endsWith(" ");
    });
    this.text = text;
    this.normal = normal;
    this.#parts = parts;
  }

  /** The characters of the text that these of `normal` came from, whole ones. */
  stretch(from: number, to: number): Stretch {
    return { from: this.#textFrom(from), to: this.#textTo(to) };
  }

  #textFrom(at: number): number {
    const part = this.#part((one) => one.normalFrom <= at);
    return part.textFrom + startIn(part.formed, at - part.normalFrom + part.skipped);
  }

  #textTo(at: number): number {
    const part = this.#part((one) => one.normalFrom < at);
    return part.textFrom + endIn(part.formed, at - part.normalFrom + part.skipped);
  }

  /** The position in a line before the character at `offset` of the text; for a range that begins there. */
  positionFrom(offset: number): number {
    const { chunk, pos, textFrom } = this.#part((one) => one.textFrom <= offset);
    const local = offset - textFrom;
    const line = lastIndex(chunk.starts.length, (n) => (chunk.starts[n] ?? 0) <= local);
    // At the line end that the chunk begins with: where the chunk before ends.
    if (line < 0) return pos - 2;
    return pos + positionIn(chunk, line, local);
  }

  /** The position in a line after the character before `offset`; for a range that ends there. */
  positionTo(offset: number): number {
    const { chunk, pos, textFrom } = this.#part((one) => one.textFrom < offset);
    const local = offset - textFrom;
    const line = 1 + lastIndex(chunk.ends.length, (n) => (chunk.ends[n] ?? 0) < local);
    return pos + positionIn(chunk, Math.min(line, chunk.ends.length - 1), local);
  }

  /** How much of the text stands before a position in a line. */
  offsetOf(position: number): number {
    const { chunk, pos, textFrom } = this.#part((one) => one.pos < position);
    const local = position - pos;
    const line = Math.max(
      0,
      lastIndex(chunk.positions.length, (n) => (chunk.positions[n] ?? 0) <= local),
    );
    const end = chunk.ends[line] ?? 0;
    return textFrom + Math.min(end, (chunk.starts[line] ?? 0) + Math.max(0, local - (chunk.positions[line] ?? 0)));
  }

  #part(holds: (part: Part) => boolean): Part {
    const index = lastIndex(this.#parts.length, (n) => holds(this.#parts[n] as Part));
    return this.#parts[Math.max(0, index)] as Part;
  }
}

/** Where in the text the character begins that this one of `normal` came from. */
export function startIn({ bends }: Formed, at: number): number {
  // The last one that begins before, or is nothing there.
  const bend = lastIndex(bends.length / 4, (n) => (bends[4 * n + 1] ?? 0) <= at);
  const [, normalTo = 0, , textTo = 0] = bend < 0 ? [] : bends.slice(4 * bend, 4 * bend + 4);
  const [nextFrom, , nextText = 0] = bends.slice(4 * bend + 4, 4 * bend + 8);
  const isInside = nextFrom !== undefined && nextFrom < at;
  return isInside ? nextText : textTo + at - normalTo;
}

/** Where in the text the character ends that the one before `at` came from. */
export function endIn({ bends }: Formed, at: number): number {
  const bend = lastIndex(bends.length / 4, (n) => (bends[4 * n] ?? 0) < at);
  if (bend < 0) return at;
  const [, normalTo = 0, , textTo = 0] = bends.slice(4 * bend, 4 * bend + 4);
  return textTo + Math.max(0, at - normalTo);
}

function positionIn({ starts, ends, positions }: ChunkText, line: number, local: number): number {
  const start = starts[line] ?? 0;
  return (positions[line] ?? 0) + Math.max(0, Math.min(local, ends[line] ?? 0) - start);
}

/** The last index below `count` at which it holds, as it does for all before; -1 if it never does. */
function lastIndex(count: number, holds: (index: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
