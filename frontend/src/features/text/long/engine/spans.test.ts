/** A long text's spans against the plainest model of them: a flag for each character. */
import { history, redo, undo } from "@codemirror/commands";
import type { EditorState, TransactionSpec } from "@codemirror/state";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse, print, type TextSpan } from "@/marked-text/markup";
import { snapshotOf } from "./snapshot";
import { isClassified, mark, ranges, replaceAll, spansField, stateOf, unmark } from "./spans";

const texts = fc
  .array(fc.constantFrom("a", "b", " ", "\n", "\r\n", "\r", "é", "😀", "<$S>", "<$$E>", "\ufeff"), { maxLength: 30 })
  .map((pieces) => pieces.join(""));

const documents = fc.tuple(texts, fc.array(fc.nat(60), { maxLength: 8 })).map(([text, cuts]) => {
  const bounds = [...new Set(cuts.map((at) => whole(text, at % (text.length + 1))))].sort((a, b) => a - b);
  const spans: TextSpan[] = [];
  for (let n = 0; n + 1 < bounds.length; n += 2) spans.push({ from: bounds[n] ?? 0, to: bounds[n + 1] ?? 0 });
  return { text, spans };
});

/** Not between the halves of a pair. */
function whole(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code < 0xe000 ? at - 1 : at;
}

const edits = fc.array(
  fc.record({ what: fc.constantFrom("type", "mark", "unmark"), from: fc.nat(60), to: fc.nat(60), text: texts }),
  { maxLength: 6 },
);

function flags(state: EditorState): boolean[] {
  const all = Array.from({ length: state.doc.length }, () => false);
  for (const { from, to } of ranges(state.field(spansField))) all.fill(true, from, to);
  return all;
}

function shown(state: EditorState): string {
  return snapshotOf(state).marked();
}

test("what is loaded is what is saved, to the last carriage return", () => {
  fc.assert(
    fc.property(documents, (document) => {
      const marked = print(document);
      expect(shown(stateOf(parse(marked), []))).toBe(marked);
    }),
  );
});

test("nothing that is classified is lost by typing, and unmarking takes exactly what was said", () => {
  fc.assert(
    fc.property(documents, edits, (document, steps) => {
      let state = stateOf(document, []);
      for (const { what, from: one, to: other, text } of steps) {
        const bound = (at: number) => whole(state.doc.toString(), at % (state.doc.length + 1));
        const [from = 0, to = 0] = [bound(one), bound(other)].sort((a, b) => a - b);
        const before = flags(state);
        if (what === "type") {
          const insert = state.toText(text);
          const replaced = before.slice(from, to);
          const classified = before[from - 1] === true || (to > from && replaced.every(Boolean));
          // The cursor forgets the span that was deleted there: remembering it has tests of its own.
          state = state.update({ changes: { from, to, insert }, userEvent: "select.pointer" }).state;
          const inserted = Array.from({ length: insert.length }, () => classified);
          expect(flags(state)).toEqual([...before.slice(0, from), ...inserted, ...before.slice(to)]);
        } else {
          const is = what === "mark";
          state = state.update((is ? mark : unmark)(state, [{ from, to }])).state;
          expect(flags(state)).toEqual(before.map((flag, at) => (at >= from && at < to ? is : flag)));
          expect(isClassified(state.field(spansField), from, to)).toBe(is && to > from);
        }
      }
    }),
  );
});

test("undo and redo restore text and spans exactly", () => {
  fc.assert(
    fc.property(documents, edits, (document, steps) => {
      let state = stateOf(document, history());
      const dispatch = (spec: TransactionSpec) => {
        state = state.update(spec).state;
      };
      const first = shown(state);
      for (const { what, from: one, to: other, text } of steps) {
        const bound = (at: number) => whole(state.doc.toString(), at % (state.doc.length + 1));
        const [from = 0, to = 0] = [bound(one), bound(other)].sort((a, b) => a - b);
        if (what === "type") dispatch({ changes: { from, to, insert: state.toText(text) } });
        else dispatch((what === "mark" ? mark : unmark)(state, [{ from, to }]));
      }
      const last = shown(state);
      const all = (command: typeof undo) => {
        while (command({ state, dispatch: (tr) => (state = tr.state) }));
      };
      all(undo);
      expect(shown(state)).toBe(first);
      all(redo);
      expect(shown(state)).toBe(last);
    }),
  );
});

test("another version takes the place of all there is", () => {
  fc.assert(
    fc.property(documents, documents, (one, other) => {
      const state = stateOf(one, []);
      expect(shown(state.update(replaceAll(state, print(other))).state)).toBe(print(other));
    }),
  );
});

describe("marking", () => {
  test("spans that touch stay two, those that overlap become one", () => {
    const state = stateOf(parse("<$S>ab<$E><$S>cd<$E>efgh"), []);
    expect(shown(state.update(mark(state, [{ from: 4, to: 6 }])).state)).toBe("<$S>ab<$E><$S>cd<$E><$S>ef<$E>gh");
    expect(shown(state.update(mark(state, [{ from: 3, to: 6 }])).state)).toBe("<$S>ab<$E><$S>cdef<$E>gh");
  });

  test("takes whole characters", () => {
    const state = stateOf({ text: "a😀b", spans: [] }, []);
    expect(shown(state.update(mark(state, [{ from: 2, to: 3 }])).state)).toBe("a<$S>😀<$E>b");
    const marked = stateOf(parse("<$S>a😀b<$E>"), []);
    expect(shown(marked.update(unmark(marked, [{ from: 0, to: 2 }])).state)).toBe("a<$S>😀b<$E>");
  });

  test("a hundred thousand places are one step", () => {
    const text = "ab ".repeat(100_000);
    const state = stateOf({ text, spans: [] }, []);
    const places = Array.from({ length: 100_000 }, (_, n) => ({ from: 3 * n, to: 3 * n + 2 }));
    expect(state.update(mark(state, places)).state.field(spansField).size).toBe(100_000);
  });
});
