/**
 * The document's text as one string, and the conversion between offsets in it and positions in the document.
 *
 * What is read from a chunk is cached for that chunk: after a keystroke only the changed chunk is read again.
 */
import type { Node } from "@tiptap/pm/model";
import { countBefore } from "@/lib/binary-search";
import { lineAttributes } from "./schema/schema";

interface ChunkText {
  readonly text: string;
  /** Of each line's text: where it begins and ends in `text`, and its position, counted from the chunk's own. */
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  readonly positions: readonly number[];
}

interface Part {
  readonly chunk: ChunkText;
  readonly pos: number;
  readonly textFrom: number;
}

const readChunks = new WeakMap<Node, ChunkText>();
const maps = new WeakMap<Node, TextMap>();

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

export function textMap(doc: Node): TextMap {
  return remembered(maps, doc, () => new TextMap(doc));
}

export class TextMap {
  readonly text: string;
  readonly #parts: readonly Part[];

  constructor(doc: Node) {
    const parts: Part[] = [];
    let text = "";
    doc.forEach((node, pos, index) => {
      // The first line of the document has no line end before it, whatever its attribute says.
      const first = index === 0 && node.firstChild && lineAttributes(node.firstChild).before !== "";
      const chunk = first ? readChunk(node, true) : remembered(readChunks, node, () => readChunk(node, false));
      parts.push({ chunk, pos, textFrom: text.length });
      text += chunk.text;
    });
    this.text = text;
    this.#parts = parts;
  }

  /** The position in a line before the character at `offset`; for the start of a range. */
  positionFrom(offset: number): number {
    const { chunk, pos, textFrom } = this.#part((one) => one.textFrom <= offset);
    const local = offset - textFrom;
    const line = countBefore(chunk.starts.length, (n) => (chunk.starts[n] ?? 0) <= local) - 1;
    // At the line end that the chunk begins with: the end of the chunk before.
    if (line < 0) return pos - 2;
    return pos + positionIn(chunk, line, local);
  }

  /** The position in a line after the character before `offset`; for the end of a range. */
  positionTo(offset: number): number {
    const { chunk, pos, textFrom } = this.#part((one) => one.textFrom < offset);
    const local = offset - textFrom;
    const line = countBefore(chunk.ends.length, (n) => (chunk.ends[n] ?? 0) < local);
    return pos + positionIn(chunk, Math.min(line, chunk.ends.length - 1), local);
  }

  /** The offset in the text of a position in a line. */
  offsetOf(position: number): number {
    const { chunk, pos, textFrom } = this.#part((one) => one.pos < position);
    const local = position - pos;
    const line = Math.max(0, countBefore(chunk.positions.length, (n) => (chunk.positions[n] ?? 0) <= local) - 1);
    const end = chunk.ends[line] ?? 0;
    return textFrom + Math.min(end, (chunk.starts[line] ?? 0) + Math.max(0, local - (chunk.positions[line] ?? 0)));
  }

  #part(holds: (part: Part) => boolean): Part {
    const index = countBefore(this.#parts.length, (n) => holds(this.#parts[n] as Part)) - 1;
    return this.#parts[Math.max(0, index)] as Part;
  }
}

function positionIn({ starts, ends, positions }: ChunkText, line: number, local: number): number {
  const start = starts[line] ?? 0;
  return (positions[line] ?? 0) + Math.max(0, Math.min(local, ends[line] ?? 0) - start);
}
