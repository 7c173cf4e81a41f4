/** Offsets here are UTF-16 offsets of the text. */

import { history, redo, undo } from "@tiptap/pm/history";
import type { Node } from "@tiptap/pm/model";
import type { Command } from "@tiptap/pm/state";
import { EditorState, TextSelection, type Transaction } from "@tiptap/pm/state";
import { clusterAfter, clusterBefore } from "@/marked-text/characters";
import type { Segment } from "@/marked-text/markup";
import { copiedTexts, dropSelection, pasteTexts } from "./clipboard";
import { guard } from "./guard";
import { textRange } from "./insert";
import { cursorMemory } from "./law";
import { load } from "./load";
import { type Limits, rebalancing } from "./rebalance";
import { piecesBetween, runsOf } from "./runs";
import { documentSchema } from "./schema/schema";
import { serialise } from "./serialise";
import { deleteBackward, deleteForward, enter, typeText } from "./text-commands";

export const schema = documentSchema();

/** An editor without a page: its state, and what a person does to it. Each transaction is a step to undo. */
export class Session {
  state: EditorState;

  constructor(doc: Node | string, limits?: Limits) {
    const plugins = [history({ newGroupDelay: -1 }), cursorMemory(), guard(), rebalancing(limits)];
    this.state = EditorState.create({ doc: typeof doc === "string" ? load(doc, schema) : doc, plugins });
  }

  get marked(): string {
    return serialise(this.state.doc);
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

  /** At once, as an input method does. */
  input(text: string): this {
    const { from, to } = textRange(this.state.doc, this.state.selection);
    return this.apply(typeText(this.state, from, to, text));
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
