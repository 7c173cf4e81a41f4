import { t } from "@lingui/core/macro";
import { memo, type ReactNode } from "react";
import { cx } from "@/lib/cx";
import type { Block } from "./blocks";
import type { Found } from "./find";
import type { ReaderDocument } from "./reader-document";
import { type Run, runsOf } from "./runs";

interface BlockTextProps {
  opened: ReaderDocument;
  block: Block;
  found: Found;
  /** The indexes of the current hit and span if they are in this block, otherwise -1. */
  hit: number;
  span: number;
}

/** A block's text with its marks. Invariant: its text nodes hold exactly that text, because copying relies on them. */
export const BlockText = memo(function BlockText({ opened, block, found, hit, span }: BlockTextProps) {
  return runsOf(opened, block, found.hits).map((run) => {
    const key = `${run.pieces[0]?.from ?? "empty"} ${run.span}`;
    const text = run.pieces.map((piece) => {
      const shown = opened.shown.slice(piece.from, piece.to);
      return piece.hit < 0 ? (
        shown
      ) : (
        <span key={piece.from} className="found" data-current={piece.hit === hit ? "" : undefined}>
          {shown}
        </span>
      );
    });
    if (run.span < 0) return <Plain key={key}>{text}</Plain>;
    const selected = span >= run.span && span <= run.last ? "" : undefined;
    return opened.gaps ? (
      <span key={key} role="img" aria-label={t`withheld`} className="withheld" data-selected={selected} />
    ) : (
      <mark
        key={key}
        className={cx("classified", isEmpty(run) && "mx-0.5")}
        data-continues={run.continues ? "" : undefined}
        data-selected={selected}
      >
        {text}
      </mark>
    );
  });
});

function Plain({ children }: { children: ReactNode }) {
  return children;
}

function isEmpty({ pieces }: Run): boolean {
  return pieces.length === 0;
}
