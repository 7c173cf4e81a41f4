/** Offsets here are UTF-16 offsets of the text. */

import { deleteCharBackward, deleteCharForward, history, redo, redoDepth, undo, undoDepth } from "@codemirror/commands";
import type { EditorState, StateCommand, Transaction, TransactionSpec } from "@codemirror/state";
import type { Command } from "@codemirror/view";
import { parse, type Segment } from "@/marked-text/markup";
import type { TypingSession } from "../../typing-session.fixture";
import { pasteTexts } from "./clipboard";
import { enter, keepingLineEnds, withLineEnds } from "./line-ends";
import { snapshotOf } from "./snapshot";
import { mark, segmentsOf, stateOf, typesClassified, unmark } from "./spans";

/** The editor of long texts without a page: its state, and what an author does to it. Each transaction is a step to undo. */
export class LongSession implements TypingSession {
  state: EditorState;
  #composed = 0;

  constructor(marked: string) {
    this.state = stateOf(parse(marked), [history({ newGroupDelay: 0 }), keepingLineEnds()]);
  }

  get marked(): string {
    return snapshotOf(this.state).marked();
  }

  get text(): string {
    return this.state.doc.sliceString(0, this.state.doc.length, "\n");
  }

  get selection(): { from: number; to: number } {
    const { from, to } = this.state.selection.main;
    return { from, to };
  }

  get typesClassified(): boolean {
    return typesClassified(this.state);
  }

  get lineEnd(): string {
    return withLineEnds(this.state, "\n");
  }

  get steps(): { undo: number; redo: number } {
    return { undo: undoDepth(this.state), redo: redoDepth(this.state) };
  }

  select(from: number, to = from): this {
    return this.#dispatch({ selection: { anchor: from, head: to }, userEvent: "select.pointer" });
  }

  moveTo(offset: number): this {
    return this.#dispatch({ selection: { anchor: offset }, userEvent: "select" });
  }

  type(text: string): this {
    for (const letter of text) this.input(letter);
    return this;
  }

  input(text: string): this {
    return this.#dispatch(this.state.update(this.state.replaceSelection(text), { userEvent: "input.type" }));
  }

  /** CodeMirror reads from the page what differs. */
  compose(text: string): this {
    const { from, to } = this.state.selection.main;
    const changes = { from: from - this.#composed, to, insert: text };
    this.#dispatch({ changes, selection: { anchor: changes.from + text.length }, userEvent: "input.type.compose" });
    this.#composed = text.length;
    return this;
  }

  enter(): this {
    return this.#run(enter);
  }

  backspace(): this {
    return this.#run(deleteCharBackward);
  }

  delete(): this {
    return this.#run(deleteCharForward);
  }

  mark(): this {
    return this.#dispatch(mark(this.state, [this.selection]));
  }

  unmark(): this {
    return this.#dispatch(unmark(this.state, [this.selection]));
  }

  copy(): Segment[] {
    const { from, to } = this.selection;
    return [...segmentsOf(this.state, from, to)];
  }

  paste(texts: string | Segment[]): this {
    const pasted = typeof texts === "string" ? [{ text: texts, classified: false }] : texts;
    return this.#dispatch(pasteTexts(this.state, pasted));
  }

  undo(): this {
    return this.#run(undo);
  }

  redo(): this {
    return this.#run(redo);
  }

  #run(command: Command | StateCommand): this {
    // These commands need the state and how to dispatch only.
    (command as StateCommand)({ state: this.state, dispatch: (tr) => this.#dispatch(tr) });
    return this;
  }

  #dispatch(change: Transaction | TransactionSpec): this {
    this.state = ("state" in change ? change : this.state.update(change)).state;
    return this;
  }
}
