/** Whatever is changed in a long text, no half of a line end is left, and none that is not touched is another. */
import { EditorState, type TransactionSpec } from "@codemirror/state";
import fc from "fast-check";
import { expect, test } from "vitest";
import { load } from "@/features/text/tiptap/engine/load";
import { dominantLineEnd } from "@/features/text/tiptap/engine/runs";
import { schema } from "@/features/text/tiptap/engine/session.fixture";
import { keepingLineEnds, withLineEnds } from "./line-ends";

function stateOf(doc: string): EditorState {
  return EditorState.create({ doc, extensions: [EditorState.lineSeparator.of("\n"), keepingLineEnds()] });
}

const after = (state: EditorState, spec: TransactionSpec) => state.update(spec).state;
const textOf = ({ doc }: EditorState) => doc.sliceString(0, doc.length, "\n");
const cursorOf = ({ selection }: EditorState) => selection.main.head;

const made = (...pieces: string[]) =>
  fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((all) => all.join(""));
const ANY = ["a", "b c", "é", "😀", "\n", "\r\n", "\r"];

test("in a text of CR LF, no edit leaves a lone one", () => {
  const edits = fc.array(fc.record({ from: fc.nat(30), to: fc.nat(30), insert: made(...ANY) }), { maxLength: 5 });
  fc.assert(
    fc.property(made("a", "b", "\r\n"), edits, (text, all) => {
      let state = stateOf(`\r\n${text}`);
      for (const { from: one, to: other, insert } of all) {
        const { length } = state.doc;
        const [from = 0, to = 0] = [one % (length + 1), other % (length + 1)].sort((a, b) => a - b);
        const selection = { anchor: from + insert.length };
        state = after(state, { changes: { from, to, insert: state.toText(insert) }, selection, userEvent: "input" });
        expect(textOf(state).replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
        expect(textOf(state).slice(cursorOf(state) - 1, cursorOf(state) + 1)).not.toBe("\r\n");
      }
    }),
  );
});

test("in any text, what is put in has the line end that there is most of, and the rest stays", () => {
  fc.assert(
    fc.property(made(...ANY), fc.nat(30), made(...ANY), (text, where, insert) => {
      const state = stateOf(text);
      const from = where % (text.length + 1);
      const ends = dominantLineEnd(load(text, schema));
      expect(withLineEnds(state, "\n")).toBe(ends);
      const at = text.slice(from - 1, from + 1) === "\r\n" ? from - 1 : from;
      const expected = text.slice(0, at) + insert.replace(/\r\n|\r|\n/g, ends) + text.slice(at);
      expect(textOf(after(state, { changes: { from, insert: state.toText(insert) } }))).toBe(expected);
    }),
  );
});

test.each([
  ["typing between the two", { from: 4, insert: "X" }, "oneX\r\ntwo\r\n"],
  ["deleting the LF", { from: 4, to: 5 }, "onetwo\r\n"],
  ["deleting the CR", { from: 3, to: 4 }, "onetwo\r\n"],
  ["deleting to the end of the line", { from: 1, to: 4 }, "o\r\ntwo\r\n"],
  ["deleting a line by its end and the one before", { from: 4, to: 9 }, "one\r\n"],
  [
    "two changes at once",
    [
      { from: 4, insert: "X" },
      { from: 9, insert: "Y" },
    ],
    "oneX\r\ntwoY\r\n",
  ],
])("%s", (_, changes, expected) => {
  expect(textOf(after(stateOf("one\r\ntwo\r\n"), { changes }))).toBe(expected);
});

test("the cursor goes before both or behind both, but a command can select between them", () => {
  const state = stateOf("one\r\ntwo");
  expect(cursorOf(after(state, { selection: { anchor: 4 }, userEvent: "select" }))).toBe(3);
  expect(after(state, { selection: { anchor: 0, head: 4 }, userEvent: "select.pointer" }).selection.main.to).toBe(3);
  expect(cursorOf(after(state, { selection: { anchor: 4 } }))).toBe(4);
});

test("where a change is to be exact, it says so", () => {
  const state = stateOf("a\r\nb");
  expect(textOf(after(state, { changes: { from: 2, insert: "\n" }, filter: false }))).toBe("a\r\n\nb");
});
