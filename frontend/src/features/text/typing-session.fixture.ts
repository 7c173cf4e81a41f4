import type { Segment } from "@/marked-text/markup";

/** What an author does to a text, in either engine. Offsets are UTF-16 offsets of the text. */
export interface TypingSession {
  readonly marked: string;
  readonly text: string;
  readonly selection: { readonly from: number; readonly to: number };
  /** Whether the status says "Typing here is classified". */
  readonly typesClassified: boolean;
  /** What Enter inserts. */
  readonly lineEnd: string;
  /** How many steps can be undone, and redone. */
  readonly steps: { readonly undo: number; readonly redo: number };
  /** A click, or dragging over text with the mouse. */
  select(from: number, to?: number): this;
  /** Arrow keys. */
  moveTo(offset: number): this;
  /** Letter by letter. */
  type(text: string): this;
  /** At once. */
  input(text: string): this;
  /** As an input method does: `text` replaces the text composed before. */
  compose(text: string): this;
  enter(): this;
  backspace(): this;
  delete(): this;
  /** Of the selection. */
  mark(): this;
  unmark(): this;
  copy(): Segment[];
  paste(texts: string | Segment[]): this;
  undo(): this;
  redo(): this;
}
