/**
 * Line ends stay as they are. CodeMirror's lines end at LF, so that the CR before one is a character of its line. For
 * the author the two are one: the cursor goes before both or behind both, and a change deletes both or keeps both. A new
 * line end is of the kind that the text has most.
 */

import {
  type ChangeSpec,
  EditorSelection,
  EditorState,
  type Extension,
  StateField,
  type Text,
  Transaction,
  type TransactionSpec,
} from "@codemirror/state";
import type { Command } from "@codemirror/view";
import type { TextSpan } from "@/marked-text/markup";

type LineEnd = "\n" | "\r\n" | "\r";

const LINE_END = /\r\n|\r|\n/g;

/** The line end of the text as it was opened, counted on first use: counting a hundred megabytes at each key is too slow. */
const lineEnd = StateField.define<() => LineEnd>({
  create: ({ doc }) => {
    let known: LineEnd | null = null;
    return () => {
      known ??= mostIn(doc);
      return known;
    };
  },
  update: (before) => before,
});

/** Where a change is to be exact, it says `filter: false`. */
export function keepingLineEnds(): Extension {
  // The last one is asked first.
  return [lineEnd, EditorState.transactionFilter.of(wholeSelection), EditorState.transactionFilter.of(wholeChanges)];
}

/** With the line ends that the text has most. */
export function withLineEnds(state: EditorState, text: string): string {
  return text.replace(LINE_END, () => state.field(lineEnd)());
}

/** What takes the place of `from` to `to` without cutting a line end. */
export function wholeRange(doc: Text, { from, to }: TextSpan): TextSpan {
  if (cuts(doc, from)) return { from: from - 1, to: from === to || cuts(doc, to) ? to - 1 : to };
  if (!cuts(doc, to)) return { from, to };
  // Up to the end of its line is meant, unless it is just the CR.
  return { from, to: from === to - 1 ? to + 1 : to - 1 };
}

export const enter: Command = ({ state, dispatch }) => {
  if (state.readOnly) return false;
  dispatch(state.update(state.replaceSelection(state.field(lineEnd)()), { userEvent: "input", scrollIntoView: true }));
  return true;
};

/** The command, which gets over a line end as over one character. */
export function overLineEnds(move: Command, isExtending: boolean): Command {
  return (view) => {
    const { main } = view.state.selection;
    const moved = move(view);
    const { head } = view.state.selection.main;
    if (moved && head === main.head && cuts(view.state.doc, head + 1)) {
      const selection = EditorSelection.single(isExtending ? main.anchor : head + 2, head + 2);
      view.dispatch({ selection, scrollIntoView: true, userEvent: "select" });
    }
    return moved;
  };
}

function wholeChanges(tr: Transaction): Transaction | TransactionSpec {
  if (!tr.docChanged) return tr;
  const { startState: state } = tr;
  const changes: ChangeSpec[] = [];
  let changed = false;
  let last = { from: 0, length: 0 };
  tr.changes.iterChanges((from, to, _from, _to, inserted) => {
    const text = inserted.sliceString(0, inserted.length, "\n");
    const insert = state.toText(withLineEnds(state, text));
    const range = wholeRange(state.doc, { from, to });
    changed ||= range.from !== from || range.to !== to || !insert.eq(inserted);
    changes.push({ ...range, insert });
    last = { from: range.from, length: insert.length };
  });
  if (!changed) return tr;
  const whole = state.changes(changes);
  const userEvent = tr.annotation(Transaction.userEvent);
  return {
    changes: whole,
    ...(tr.selection && { selection: EditorSelection.cursor(whole.mapPos(last.from, -1) + last.length) }),
    effects: tr.effects,
    ...(userEvent !== undefined && { userEvent }),
    scrollIntoView: tr.scrollIntoView,
  };
}

/** What somebody selects does not end within a line end; what a command of ours does may, as the spans of a text may. */
function wholeSelection(tr: Transaction): Transaction | readonly TransactionSpec[] {
  if (tr.annotation(Transaction.userEvent) === undefined || !(tr.selection || tr.docChanged)) return tr;
  const { anchor, head } = tr.newSelection.main;
  const [start, end] = [anchor, head].map((pos) => (cuts(tr.newDoc, pos) ? pos - 1 : pos));
  if (start === undefined || end === undefined || (start === anchor && end === head)) return tr;
  return [tr, { selection: EditorSelection.single(start, end), sequential: true }];
}

/** Whether `pos` is within a CR LF. */
function cuts(doc: Text, pos: number): boolean {
  return pos > 0 && pos < doc.length && doc.sliceString(pos - 1, pos + 1, "\n") === "\r\n";
}

function mostIn(doc: Text): LineEnd {
  let [lf, crlf, cr] = [0, 0, 0];
  let endsInReturn = false;
  for (const text of doc.iter()) {
    if (text === "\n") {
      if (endsInReturn) [crlf, cr] = [crlf + 1, cr - 1];
      else lf++;
    }
    for (let at = text.indexOf("\r"); at >= 0; at = text.indexOf("\r", at + 1)) cr++;
    endsInReturn = text.endsWith("\r");
  }
  if (crlf > lf && crlf >= cr) return "\r\n";
  return cr > lf ? "\r" : "\n";
}
