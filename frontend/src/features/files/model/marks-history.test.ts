// @vitest-environment node
import { expect, it, vi } from "vitest";
import { marked, whole } from "./marks";
import { MarksBook } from "./marks-history";
import { runsOf } from "./runs";

it("goes back and forth, each change one step", () => {
  const book = new MarksBook([]);
  const heard = vi.fn();
  book.subscribe(heard);
  const one = marked([], [whole("page/1"), whole("page/2")]);
  expect(book.change(one, "Marked pages 1 and 2")).toBe(true);
  expect(book.change([...one], "The same")).toBe(false);
  expect(book.undo()).toBe("Marked pages 1 and 2");
  expect(book.page()).toMatchObject({ marks: [], canUndo: false, canRedo: true });
  expect(book.undo()).toBeNull();
  expect(book.redo()).toBe("Marked pages 1 and 2");
  expect(book.page().marks).toEqual(one);
  expect(heard).toHaveBeenCalledTimes(3);
  book.take([]);
  expect(book.page()).toMatchObject({ marks: [], canUndo: false, canRedo: false });
});

it("forgets what was undone once something else is done", () => {
  const book = new MarksBook([]);
  book.change(marked([], [whole("page/1")]), "Marked page 1");
  book.undo();
  book.change(marked([], [whole("page/2")]), "Marked page 2");
  expect(book.redo()).toBeNull();
});

it("cuts a text where marks begin and end, by code points", () => {
  const text = "Die 𝄞 ist 😀 da";
  expect(
    runsOf(
      text,
      [
        { start: 4, end: 5 },
        { start: 10, end: 40 },
      ],
      false,
    ),
  ).toEqual([
    { at: 0, text: "Die ", classified: false },
    { at: 4, text: "𝄞", classified: true },
    { at: 5, text: " ist ", classified: false },
    { at: 10, text: "😀 da", classified: true },
  ]);
  expect(runsOf(text, [], true)).toEqual([{ at: 0, text, classified: true }]);
  expect(runsOf("", [], true)).toEqual([]);
});
