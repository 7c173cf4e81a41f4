// @vitest-environment jsdom
import { Editor } from "@tiptap/core";
import fc from "fast-check";
import { expect, test } from "vitest";
import { DocumentWatch } from "./document-watch";
import { extensions } from "./engine/extensions";
import { positionAt, wholeText } from "./engine/place";
import { textSurface } from "./text-surface";

function open(marked: string) {
  const editor = new Editor({
    element: document.createElement("div"),
    extensions: extensions(marked),
    injectCSS: false,
  });
  const watch = new DocumentWatch(editor);
  const surface = textSurface(editor, watch);
  const text = () => wholeText(editor.state.doc);
  const replace = (from: number, to: number, insert: string) => {
    const { doc, tr } = editor.state;
    editor.view.dispatch(tr.insertText(insert, positionAt(doc, from), positionAt(doc, to)));
    watch.now();
  };
  return { editor, surface, text, replace };
}

test("code points are found at their places, and move with the text", () => {
  const { surface, text, replace, editor } = open("😀 Ida <$S>Berg<$E>\nand Ida 😀");
  const tracker = surface.track();
  const at = (start: number, end: number) => {
    const place = tracker.place({ address: "text", start, end });
    return place && text().slice(place.from, place.to);
  };
  const both = () => [at(2, 5), at(15, 18)];
  expect(both()).toEqual(["Ida", "Ida"]);
  replace(0, 0, "new ");
  replace(text().length, text().length, " end");
  expect(both()).toEqual(["Ida", "Ida"]);
  replace(6, 12, "");
  expect(both()).toEqual([null, "Ida"]);
  editor.commands.undo();
  editor.commands.undo();
  editor.commands.undo();
  expect(at(2, 5)).toBe("Ida");
  expect(at(0, 400)).toBe(null);
  expect(tracker.place({ address: "text", start: null, end: null })).toBe(null);
  tracker.end();
});

test("what is not touched by an edit keeps its place", () => {
  const edit = fc.record({ at: fc.nat(), cut: fc.nat(4), insert: fc.stringMatching(/^[xy]{0,3}$/) });
  fc.assert(
    fc.property(fc.array(edit, { maxLength: 5 }), (edits) => {
      const { surface, text, replace } = open("abcd <$S>efgh<$E> ijkl mnop");
      const tracker = surface.track();
      for (const { at, cut, insert } of edits) {
        const from = at % (text().length + 1);
        replace(from, Math.min(text().length, from + cut), insert);
      }
      for (const word of ["abcd", "efgh", "ijkl", "mnop"]) {
        const start = "abcd efgh ijkl mnop".indexOf(word);
        const place = tracker.place({ address: "text", start, end: start + word.length });
        // No letter of a word can come from elsewhere: where the word is still there, it is in its place.
        if (text().includes(word)) expect(place && text().slice(place.from, place.to)).toBe(word);
      }
    }),
    { numRuns: 200 },
  );
});

test("marks and unmarks places in one step each", () => {
  const { surface, editor } = open("one two one");
  const places = [
    { from: 8, to: 11 },
    { from: 0, to: 3 },
  ];
  surface.mark(places, "");
  expect(surface.states([...places].reverse())).toEqual(["marked", "marked"]);
  expect(surface.states([{ from: 0, to: 7 }])).toEqual(["partly"]);
  editor.commands.undo();
  expect(surface.states([...places].reverse())).toEqual(["plain", "plain"]);
  editor.commands.redo();
  surface.unmark(places, "");
  expect(surface.states([...places].reverse())).toEqual(["plain", "plain"]);
});
