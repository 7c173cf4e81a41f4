/**
 * What typing, pasting, deleting and dropping do to classification. Both text engines use this module.
 *
 * Invariant:
 *
 *  1. A classified character stays classified, whatever changes around it, until an author unmarks it.
 *  2. New text takes the span of the character before it; a line end is a character. So text at the end of a span is
 *     classified, also after Enter; text at its start is plain.
 *  3. New text that replaces a selection takes the span of the character before the selection; if that character is
 *     plain but the whole selection was classified, the first span of the selection.
 *  4. The cursor remembers a span: if keys moved it back over classified text only, or if it is where classified text
 *     only was deleted, new text takes that span. A click makes it forget.
 *  5. Text that is pasted or dropped into a span takes that span. Elsewhere, text that was classified where it was
 *     copied becomes spans of its own, and all other text is plain. Tags in it are text.
 *  6. A span whose text is deleted is gone. Spans that touch stay separate.
 *  7. Undo and redo restore text and spans exactly.
 *
 * In doubt, text is classified. Rules 2 to 4 are the functions below; each engine keeps the others.
 */

/** A text in which some characters belong to spans. Offsets are the engine's own. */
export interface ClassifiedText<Span> {
  /** The span of the character before `offset`; null: it is plain, or the text begins here. */
  spanBefore(offset: number): Span | null;
  /** The first span between two offsets if every character between them is classified; null: one is plain, or there is none. */
  firstSpanIfAllClassified(from: number, to: number): Span | null;
}

/** The span of new text that replaces the text between two offsets; null: it is plain. `remembered`: the cursor's. */
export function spanOfNewText<Span>(
  text: ClassifiedText<Span>,
  from: number,
  to: number,
  remembered: Span | null,
): Span | null {
  return text.spanBefore(from) ?? (to > from ? text.firstSpanIfAllClassified(from, to) : remembered);
}

/** What a transaction of an engine did, as far as the cursor's memory depends on it. */
export interface CursorChange<Span> {
  readonly before: ClassifiedText<Span>;
  readonly after: ClassifiedText<Span>;
  /** Where the selection ended before; null if it was not in the text. */
  readonly selectionEnd: number | null;
  /** The cursor after it; null if text is selected. */
  readonly cursor: number | null;
  /** It is a click, an undo or a redo. */
  readonly forgets: boolean;
  /** Neither the text, nor a span, nor the cursor changed. */
  readonly isNothing: boolean;
  /** If the text or a span changed: the first span of the text deleted at the cursor if all of it was classified. */
  readonly deleted: (() => Span | null) | null;
}

/** The span that the cursor remembers after `change`; `kept`: the one that it remembered before. */
export function rememberedSpan<Span>(change: CursorChange<Span>, kept: Span | null): Span | null {
  const { before, after, selectionEnd, cursor, deleted } = change;
  if (cursor === null || change.forgets) return null;
  if (change.isNothing) return kept;
  if (after.spanBefore(cursor) !== null) return null;
  if (deleted) return deleted();
  return selectionEnd === null ? null : before.firstSpanIfAllClassified(cursor, selectionEnd);
}
