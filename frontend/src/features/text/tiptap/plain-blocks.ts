/** The plain text in blocks that a page can draw one by one, and that stay the same where the text did. */
import { cut } from "@/components/reader/blocks";

export interface PlainBlock {
  readonly key: number;
  /** With its line end. */
  readonly text: string;
  /** It begins inside a line. */
  readonly continues: boolean;
}

export interface PlainBlocks {
  readonly text: string;
  readonly blocks: readonly PlainBlock[];
}

export const NO_BLOCKS: PlainBlocks = { text: "", blocks: [] };

let lastKey = 0;

/** The blocks of `text`; those of `before` that it still has are the same objects. Together they are `text`. */
export function blocksOf(text: string, before: PlainBlocks): PlainBlocks {
  if (text === before.text) return before;
  const { head, tail } = sameEnds(before.text, text);
  const first = keptFirst(before.blocks, head);
  const last = keptLast(before.blocks, before.text.length, tail, text, first.end);
  const middle = text.slice(first.end, text.length - last.length);
  const fresh = middle === "" ? [] : cutAnew(middle);
  return {
    text,
    blocks: [
      ...before.blocks.slice(0, first.count),
      ...fresh,
      ...before.blocks.slice(before.blocks.length - last.count),
    ],
  };
}

function cutAnew(text: string): PlainBlock[] {
  // Blocks are cut at line feeds; a lone carriage return ends a line, too.
  return cut(text.replace(/\r(?!\n)/g, "\n")).map(({ from, to, continues }) => ({
    key: ++lastKey,
    text: text.slice(from, to),
    continues,
  }));
}

function sameEnds(one: string, other: string): { head: number; tail: number } {
  const most = Math.min(one.length, other.length);
  let head = 0;
  while (head < most && one.charCodeAt(head) === other.charCodeAt(head)) head++;
  let tail = 0;
  while (tail < most - head && one.charCodeAt(one.length - 1 - tail) === other.charCodeAt(other.length - 1 - tail))
    tail++;
  return { head, tail };
}

/** The blocks at the start that did not change, up to the last one that ends a line. */
function keptFirst(blocks: readonly PlainBlock[], head: number): { count: number; end: number } {
  let kept = { count: 0, end: 0 };
  let end = 0;
  for (const [index, { text }] of blocks.entries()) {
    end += text.length;
    // What follows it must be the same, too: a line feed after a return belongs to it.
    if (end >= head) break;
    if (/[\r\n]$/.test(text)) kept = { count: index + 1, end };
  }
  return kept;
}

/** The blocks at the end that did not change, from the first one that begins a line, in the new text as well. */
function keptLast(blocks: readonly PlainBlock[], length: number, tail: number, text: string, from: number) {
  let kept = { count: 0, length: 0 };
  let start = length;
  for (let index = blocks.length - 1; index >= 0; index--) {
    const block = blocks[index];
    if (!block) break;
    start -= block.text.length;
    const size = length - start;
    const at = text.length - size;
    if (size > tail || at < from) break;
    const beginsLine = at === 0 || /[\r\n]/.test(text.charAt(at - 1));
    const cutsEnd = text.charAt(at - 1) === "\r" && text.charAt(at) === "\n";
    if (!block.continues && beginsLine && !cutsEnd) kept = { count: blocks.length - index, length: size };
  }
  return kept;
}
