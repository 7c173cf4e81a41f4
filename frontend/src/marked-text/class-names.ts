/** The classes that the document's elements carry; how they look is the style sheet's. */
export const CLASS = {
  /** About 50 lines; needs `content-visibility: auto`. */
  chunk: "chunk",
  line: "line",
  /** The line continues with the one before it, without a line end between: a piece of a very long line. */
  lineContinued: "line-continued",
  /** The line end before this line is classified. */
  afterClassifiedEnd: "after-classified-end",
  /** Classified text, on a `<mark>`. */
  classified: "classified",
  /** What was looked for; the one that is looked at has `data-current`. */
  found: "found-place",
  /** What a span would gain, and lose, if the edge that is dragged were let go. */
  gained: "edge-gained",
  lost: "edge-lost",
  /** Where dragged text would be dropped. */
  dropCursor: "drop-cursor",
} as const;
