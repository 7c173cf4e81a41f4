/**
 * Cuts lines and chunks anew where editing has made them too long or too short, while nobody types. No character
 * changes, and it is no step to undo: every change of ours begins and ends inside lines, so steps of the history fit
 * however the lines are grouped.
 */

import { type Node, Slice } from "@tiptap/pm/model";
import { type EditorState, Plugin, type Transaction } from "@tiptap/pm/state";
import type { EditorView } from "@tiptap/pm/view";
import { CHUNK_LENGTH, CHUNK_LINES, LINE_LENGTH } from "./build";
import { breakPoint } from "./characters";
import { asRebalancing } from "./origin";
import { lineAttributes } from "./schema/schema";

const MOST_LINES = 200;
const MOST_LENGTH = 4 * CHUNK_LENGTH;
const MOST_LINE_LENGTH = 1.25 * LINE_LENGTH;
/** Chunks of fewer lines are joined with the next one, if both together are no more than a chunk. */
const FEW_LINES = CHUNK_LINES / 5;

const IDLE_MS = 400;

/** The transaction that puts lines and chunks in order; null if they are. */
export function rebalance(state: EditorState): Transaction | null {
  const { tr } = state;
  fitLines(tr);
  fitChunks(tr);
  if (!tr.docChanged) return null;
  return asRebalancing(tr.setStoredMarks(state.storedMarks));
}

export function rebalancing(): Plugin {
  return new Plugin({ view: (view) => new IdleRebalancing(view) });
}

class IdleRebalancing {
  readonly #view: EditorView;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(view: EditorView) {
    this.#view = view;
  }

  update(view: EditorView, before: EditorState): void {
    if (view.state.doc === before.doc) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#run(), IDLE_MS);
  }

  destroy(): void {
    clearTimeout(this.#timer);
  }

  #run(): void {
    if (this.#view.composing) {
      this.#timer = setTimeout(() => this.#run(), IDLE_MS);
      return;
    }
    const tr = rebalance(this.#view.state);
    if (tr) this.#view.dispatch(tr);
  }
}

/** Chunks all of whose lines fit. */
const fitting = new WeakSet<Node>();

function fitLines(tr: Transaction): void {
  const { doc } = tr;
  let previous: Node | null = null;
  doc.forEach((chunk, chunkOffset) => {
    if (fitting.has(chunk)) {
      previous = chunk.lastChild;
      return;
    }
    let fits = true;
    chunk.forEach((line, offset) => {
      const pos = chunkOffset + 1 + offset;
      const isPiece = lineAttributes(line).before === "" && previous !== null;
      if (line.content.size > MOST_LINE_LENGTH) {
        fits = false;
        cutLine(tr, line, pos);
      } else if (isPiece && previous && previous.content.size + line.content.size <= LINE_LENGTH / 2) {
        fits = false;
        const end = offset === 0 ? pos - 3 : pos - 1;
        tr.replace(tr.mapping.map(end), tr.mapping.map(pos + 1), Slice.empty);
      }
      previous = line;
    });
    if (fits) fitting.add(chunk);
  });
}

function cutLine(tr: Transaction, line: Node, pos: number): void {
  const text = line.textContent;
  for (let at = 0; text.length - at > LINE_LENGTH; ) {
    at += breakPoint(text.slice(at, at + LINE_LENGTH + 1), LINE_LENGTH);
    const type = line.type;
    tr.split(tr.mapping.map(pos + 1 + at), 1, [{ type, attrs: { before: "", beforeSpan: null } }]);
  }
}

function fitChunks(tr: Transaction): void {
  const { doc } = tr;
  const from = tr.steps.length;
  let previous: Node | null = null;
  let joined = false;
  doc.forEach((chunk, offset) => {
    const at = (pos: number) => tr.mapping.slice(from).map(pos);
    if (chunk.childCount > MOST_LINES || (chunk.content.size > MOST_LENGTH && chunk.childCount > 1)) {
      let lines = 0;
      let length = 0;
      chunk.forEach((line, inChunk) => {
        if (lines === CHUNK_LINES || (lines > 0 && length + line.nodeSize > CHUNK_LENGTH)) {
          tr.split(at(offset + 1 + inChunk), 1);
          lines = 0;
          length = 0;
        }
        lines++;
        length += line.nodeSize;
      });
      previous = null;
      return;
    }
    joined = !joined && previous !== null && areFew(previous, chunk);
    if (joined) tr.join(at(offset));
    previous = chunk;
  });
}

function areFew(one: Node, other: Node): boolean {
  return (
    Math.min(one.childCount, other.childCount) < FEW_LINES &&
    one.childCount + other.childCount <= CHUNK_LINES &&
    one.content.size + other.content.size <= CHUNK_LENGTH
  );
}
