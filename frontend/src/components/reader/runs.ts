/** The runs of a block: plain text, classified text and gaps, cut at search hits. */
import type { TextSpan } from "@/marked-text/markup";
import { type Block, lastWhere } from "./blocks";
import type { ReaderDocument } from "./reader-document";

interface Piece {
  readonly from: number;
  readonly to: number;
  /** The index of the hit that contains it, or -1. */
  readonly hit: number;
}

export interface Run {
  /** The index of the first span that it draws; -1 for plain text. */
  readonly span: number;
  /** The index of the last span: several empty spans at one place are drawn once. */
  readonly last: number;
  /** The span began in an earlier block. */
  readonly continues: boolean;
  /** Empty for an empty span. */
  readonly pieces: readonly Piece[];
}

/** The runs of a block. A span that is empty belongs to the block that begins at it. */
export function runsOf({ spans, shown }: ReaderDocument, block: Block, hits: readonly TextSpan[]): Run[] {
  const runs: { -readonly [Key in keyof Run]: Run[Key] }[] = [];
  const plain = (from: number, to: number) => {
    if (to > from) runs.push({ span: -1, last: -1, continues: false, pieces: piecesOf(from, to, hits) });
  };
  let at = block.from;
  let emptyAt = -1;
  for (let index = lastWhere(spans, ({ to }) => to < block.from); index < spans.length; index++) {
    const span = spans[index];
    if (!span || span.from > block.to || (span.from === block.to && block.to < shown.length)) break;
    const empty = span.from === span.to;
    if (empty ? span.from < block.from : span.to <= block.from) continue;
    const previous = runs.at(-1);
    if (empty && emptyAt === span.from && previous) {
      previous.last = index;
      continue;
    }
    emptyAt = empty ? span.from : -1;
    const from = Math.max(span.from, block.from);
    plain(at, from);
    at = Math.min(span.to, block.to);
    runs.push({ span: index, last: index, continues: span.from < block.from, pieces: piecesOf(from, at, hits) });
  }
  plain(at, block.to);
  return runs;
}

function piecesOf(from: number, to: number, hits: readonly TextSpan[]): Piece[] {
  const pieces: Piece[] = [];
  let at = from;
  for (let hit = lastWhere(hits, (one) => one.to <= from); hit < hits.length; hit++) {
    const one = hits[hit];
    if (!one || one.from >= to) break;
    if (one.to <= from) continue;
    if (one.from > at) pieces.push({ from: at, to: one.from, hit: -1 });
    const end = Math.min(one.to, to);
    pieces.push({ from: Math.max(one.from, from), to: end, hit });
    at = end;
  }
  if (at < to) pieces.push({ from: at, to, hit: -1 });
  return pieces;
}
