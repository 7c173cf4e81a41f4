/** Offsets here are UTF-16 offsets of the text. */

import { history, redo, redoDepth, undo, undoDepth } from "@tiptap/pm/history";
import type { Node } from "@tiptap/pm/model";
import type { Command } from "@tiptap/pm/state";
import { EditorState, TextSelection, type Transaction } from "@tiptap/pm/state";
import { clusterAfter, clusterBefore } from "@/marked-text/characters";
import type { Segment } from "@/marked-text/markup";
import type { TypingSession } from "../../typing-session.fixture";
import { copiedTexts, dropSelection, pasteTexts } from "./clipboard";
import { mark, unmark } from "./commands";
import { cursorMemory, typesClassified } from "./cursor-memory";
import { textRange } from "./insert";
import { load } from "./load";
import { type Limits, rebalancing } from "./rebalance";
import { dominantLineEnd, piecesBetween, runsOf } from "./runs";
import { documentSchema } from "./schema/schema";
import { serialise } from "./serialise";
import { deleteBackward, deleteForward, enter, typeText } from "./text-commands";
import { composeText } from "./typing";
import { typingGuard } from "./typing-guard";

export const schema = documentSchema();

/** An editor without a page: its state, and what an author does to it. Each transaction is a step to undo. */
export class Session implements TypingSession {
  state: EditorState;
  #composed = 0;

  constructor(doc: Node | string, limits?: Limits) {
    const plugins = [history({ newGroupDelay: -1 }), cursorMemory(), typingGuard(), rebalancing(limits)];
    this.state = EditorState.create({ doc: typeof doc === "string" ? load(doc, schema) : doc, plugins });
  }

  get marked(): string {
    return serialise(this.state.doc);
  }

  get text(): string {
    return textOf(this.state.doc);
  }

  get selection(): { from: number; to: number } {
    const { doc, selection } = this.state;
    const textBefore = (pos: number) =>
      piecesBetween(doc, 0, pos).reduce((length, { text }) => length + text.length, 0);
    return { from: textBefore(selection.from), to: textBefore(selection.to) };
  }

  get typesClassified(): boolean {
    return typesClassified(this.state);
  }

  get lineEnd(): string {
    return dominantLineEnd(this.state.doc);
  }

  get steps(): { undo: number; redo: number } {
    return { undo: undoDepth(this.state), redo: redoDepth(this.state) };
  }

  /** A click, or dragging over text with the mouse. */
  select(from: number, to = from): this {
    return this.#select(from, to, "pointer");
  }

  /** Arrow keys. */
  moveTo(offset: number): this {
    return this.#select(offset, offset, "key");
  }

  #select(from: number, to: number, origin: string): this {
    const { doc } = this.state;
    const selection = TextSelection.create(doc, positionOf(doc, from), positionOf(doc, to));
    return this.apply(this.state.tr.setSelection(selection).setMeta(origin, true));
  }

  /** Letter by letter. */
  type(text: string): this {
    for (const letter of text) this.input(letter);
    return this;
  }

  /** At once. */
  input(text: string): this {
    const { from, to } = textRange(this.state.doc, this.state.selection);
    return this.apply(typeText(this.state, from, to, text));
  }

  /** As an input method does: `text` replaces the text composed before. */
  compose(text: string): this {
    const { from, to } = textRange(this.state.doc, this.state.selection);
    const start = from - this.#composed;
    this.#composed = text.length;
    return this.apply(composeText(this.state, start, to, text, this.state.tr.insertText(text, start, to)));
  }

  enter(): this {
    return this.run(enter);
  }

  backspace(): this {
    return this.#delete(deleteBackward, -1);
  }

  delete(): this {
    return this.#delete(deleteForward, 1);
  }

  /** What the command leaves to the browser: deleting a character. */
  #delete(command: Command, direction: 1 | -1): this {
    let handled = false;
    this.run((state, dispatch) => {
      handled = command(state, dispatch);
      return handled;
    });
    if (handled) return this;
    const { $head, head } = this.state.selection;
    const find = direction === 1 ? clusterAfter : clusterBefore;
    const other = $head.start() + find($head.parent.textContent, $head.parentOffset);
    return this.apply(this.state.tr.delete(Math.min(head, other), Math.max(head, other)));
  }

  mark(): this {
    return this.run(mark);
  }

  unmark(): this {
    return this.run(unmark);
  }

  copy(): Segment[] {
    return copiedTexts(this.state);
  }

  paste(texts: string | Segment[]): this {
    const pasted = typeof texts === "string" ? [{ text: texts, classified: false }] : texts;
    return this.apply(pasteTexts(this.state, pasted));
  }

  drop(offset: number, moved = true): this {
    const tr = dropSelection(this.state, positionOf(this.state.doc, offset), moved);
    return tr ? this.apply(tr) : this;
  }

  undo(): this {
    return this.run(undo);
  }

  redo(): this {
    return this.run(redo);
  }

  run(command: Command): this {
    command(this.state, (tr) => this.apply(tr));
    return this;
  }

  apply(tr: Transaction): this {
    this.state = this.state.applyTransaction(tr).state;
    this.state.doc.check();
    return this;
  }
}

/** The document's text. */
export function textOf(doc: Node): string {
  return runsOf(doc)
    .map(({ text }) => text)
    .join("");
}

/** For each code unit of the text, its span. */
export function spanOfEach(doc: Node): (number | null)[] {
  return runsOf(doc).flatMap(({ text, span }) => Array<number | null>(text.length).fill(span));
}

/** The first position at which `offset` characters of the text lie before. */
export function positionOf(doc: Node, offset: number): number {
  let left = offset;
  if (left === 0) return 2;
  for (const { text, from, isLineEnd } of piecesBetween(doc, 0, doc.content.size)) {
    if (left <= text.length) return isLineEnd ? from + 1 : from + left;
    left -= text.length;
  }
  throw new RangeError("the offset lies past the end of the text");
}
