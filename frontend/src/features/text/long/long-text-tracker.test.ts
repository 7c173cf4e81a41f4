// @vitest-environment jsdom
/** Places that the gateway counted in code points, in a text that is changed meanwhile. */
import { isolateHistory } from "@codemirror/commands";
import { EditorView } from "@codemirror/view";
import fc from "fast-check";
import { expect, test } from "vitest";
import { LongTextEditor } from "./engine/editor";
import { LongTextTracker } from "./long-text-tracker";

function opened(marked: string): LongTextEditor {
  Range.prototype.getClientRects = () => [] as unknown as DOMRectList;
  return new LongTextEditor(marked, "Text");
}

test("code points are found at their places, and move with the text", async () => {
  const editor = opened("😀 Ida <$S>Berg<$E>\nand Ida 😀");
  const tracker = new LongTextTracker(editor);
  await tracker.ready();
  // "Ida" is at code points 2 to 5 and 15 to 18.
  const [first, second] = [
    { start: 2, end: 5 },
    { start: 15, end: 18 },
  ];
  const text = ({ start, end }: typeof first) => {
    const place = tracker.place({ start, end });
    return place && editor.state.sliceDoc(place.from, place.to);
  };
  expect([text(first), text(second)]).toEqual(["Ida", "Ida"]);
  editor.replace("new 😀 Ida <$S>Berg<$E>\nand Ida 😀");
  expect([text(first), text(second)]).toEqual(["Ida", "Ida"]);
  tracker.end();
});

test("what is gone, and what never was there, has no place", async () => {
  const editor = opened("Ida and Berg");
  const tracker = new LongTextTracker(editor);
  await tracker.ready();
  expect(tracker.place({ start: 0, end: 400 })).toBeNull();
  expect(tracker.place({ start: null, end: null })).toBeNull();
  editor.replace("and Berg");
  expect(tracker.place({ start: 0, end: 3 })).toBeNull();
  expect(tracker.place({ start: 8, end: 12 })).not.toBeNull();
});

test("each text before a deletion has its own copy of the line: of a long one only the latest are remembered", async () => {
  for (const [length, isKnown] of [
    [1000, true],
    [1_000_000, false],
  ] as const) {
    const editor = opened(`a Ida ${"and so on ".repeat(length / 10)}Ida`);
    const view = EditorView.findFromDOM(editor.dom) as EditorView;
    const tracker = new LongTextTracker(editor);
    await tracker.ready();
    const first = { start: 2, end: 5 };
    const last = { start: 6 + length, end: 9 + length };
    const cut = (from: number, to: number) =>
      view.dispatch({ changes: { from, to }, annotations: isolateHistory.of("full") });
    cut(0, 1);
    cut(1, 4);
    for (let time = 0; time < 25; time++) cut(5, 6);
    cut(view.state.doc.length - 3, view.state.doc.length);
    editor.undo();
    expect(tracker.place(last)).not.toBe(null);
    for (let time = 0; time < 26; time++) editor.undo();
    expect(tracker.place(first)).toEqual(isKnown ? { from: 1, to: 4 } : null);
    // The text that was looked at is remembered at any rate.
    editor.undo();
    expect(tracker.place(first)).toEqual({ from: 2, to: 5 });
    tracker.end();
    editor.destroy();
  }
});

test("what is undone is where it was: at each step back, each place is what it was there", async () => {
  const edit = fc.record({ at: fc.nat(), cut: fc.nat(6), insert: fc.constantFrom("", "x", "Ida\n") });
  await fc.assert(
    fc.asyncProperty(
      fc.array(edit, { minLength: 1, maxLength: 6 }),
      fc.array(edit, { maxLength: 3 }),
      async (...all) => {
        const editor = opened("Ida <$S>Berg<$E>\nand Ida");
        const view = EditorView.findFromDOM(editor.dom) as EditorView;
        const make = ({ at, cut, insert }: { at: number; cut: number; insert: string }) => {
          const from = at % (view.state.doc.length + 1);
          const to = Math.min(view.state.doc.length, from + cut);
          view.dispatch({ changes: { from, to, insert }, annotations: isolateHistory.of("full") });
          return to > from || insert !== "";
        };
        // Some of it was written before it was looked at, which may be undone, too.
        for (const one of all[1]) make(one);
        const tracker = new LongTextTracker(editor);
        await tracker.ready();
        const tracked = () =>
          [0, 1, 3, 9].flatMap((start) => [3, 7].map((length) => tracker.place({ start, end: start + length })));
        const seen: { places: unknown; text: string }[] = [];
        for (const one of all[0]) {
          const before = { places: tracked(), text: view.state.sliceDoc() };
          if (make(one)) seen.push(before);
        }
        // A text that was there twice does not say which of the two is back; the text in the places is the same.
        const texts = [...seen.map(({ text }) => text), view.state.sliceDoc()];
        const eachOnce = new Set(texts).size === texts.length;
        for (const { places, text } of seen.reverse()) {
          editor.undo();
          expect(view.state.sliceDoc()).toBe(text);
          if (eachOnce) expect(tracked()).toEqual(places);
        }
        expect(tracker.isSameText()).toBe(true);
        tracker.end();
        editor.destroy();
      },
    ),
    { numRuns: 60 },
  );
});
