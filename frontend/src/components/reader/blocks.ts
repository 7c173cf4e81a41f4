/**
 * Cuts a text into blocks that are small enough to draw: a few whole lines, or a piece of a long line. Blocks have no
 * gaps between them; a line's end belongs to its block.
 */
import { countBefore } from "@/lib/binary-search";
import { breakPoint } from "@/marked-text/characters";

/** Characters `from` to `to` of the text. `line`: the number of its first line, from 1. */
export interface Block {
  readonly from: number;
  readonly to: number;
  readonly line: number;
  readonly lines: number;
  /** It begins inside a line. */
  readonly continues: boolean;
}

const MOST_CHARACTERS = 1_500;
const MOST_LINES = 48;
/** Lines up to this length stay whole; almost no paragraph is longer. */
const LONG_LINE = 8_192;
const PIECE = 4_096;
const REACH = 512;

/** The blocks of a text whose lines end with line feeds. There is at least one. */
export function cut(text: string): Block[] {
  const blocks: Block[] = [];
  let from = 0;
  let line = 1;
  let lines = 0;
  const close = (to: number) => {
    if (to > from) blocks.push({ from, to, line: line - lines, lines, continues: false });
    from = to;
    lines = 0;
  };
  for (let at = 0; at < text.length; ) {
    const feed = text.indexOf("\n", at);
    const end = feed < 0 ? text.length : feed + 1;
    const long = end - at > LONG_LINE;
    if (long || end - from > MOST_CHARACTERS || lines === MOST_LINES) close(at);
    if (long) {
      cutLine(text, at, end, line, blocks);
      from = end;
    } else {
      lines += 1;
    }
    line += 1;
    at = end;
  }
  close(text.length);
  return blocks.length > 0 ? blocks : [{ from: 0, to: 0, line: 1, lines: 1, continues: false }];
}

function cutLine(text: string, start: number, end: number, line: number, blocks: Block[]): void {
  let from = start;
  while (end - from > LONG_LINE) {
    const to = from + breakPoint(text.slice(from, from + PIECE + REACH), PIECE);
    blocks.push({ from, to, line, lines: 1, continues: from > start });
    from = to;
  }
  blocks.push({ from, to: end, line, lines: 1, continues: from > start });
}

/** Estimates how many lines a block takes if each holds `perLine` characters. */
export function drawnLines({ from, to, lines }: Block, perLine: number): number {
  return Math.max(lines, Math.ceil((to - from) / perLine + lines / 3));
}

/** Browsers draw nothing below about 17 million pixels; this many lines stay far above. */
const LINES_OF_PART = 600_000;
const NARROW = 32;

/** The indexes of the blocks at which parts begin. A very long text is shown one part at a time. */
export function partStarts(blocks: readonly Block[], most = LINES_OF_PART): number[] {
  const starts = [0];
  let drawn = 0;
  blocks.forEach((block, index) => {
    const lines = drawnLines(block, NARROW);
    if (drawn > 0 && drawn + lines > most) {
      starts.push(index);
      drawn = 0;
    }
    drawn += lines;
  });
  return starts;
}

/**
 * The index of the last item that `isBefore` holds for; 0 if it holds for none. The items that it holds for come first.
 */
export function lastWhere<Item>(items: readonly Item[], isBefore: (item: Item) => boolean): number {
  return Math.max(0, countBefore(items.length, (index) => isBefore(items[index] as Item)) - 1);
}
