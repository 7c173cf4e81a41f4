// @vitest-environment node
import { expect, it, vi } from "vitest";
import { marked, whole } from "./marks";
import { MarksHistory } from "./marks-history";
import { runsOf } from "./runs";

it("goes back and forth, each change one step", () => {
  const history = new MarksHistory([]);
  const heard = vi.fn();
  history.subscribe(heard);
  const one = marked([], [whole("page/1"), whole("page/2")]);
  expect(history.change(one, "Marked pages 1 and 2")).toBe(true);
  expect(history.change([...one], "The same")).toBe(false);
  expect(history.undo()).toBe("Marked pages 1 and 2");
  expect(history.snapshot()).toMatchObject({ marks: [], canUndo: false, canRedo: true });
  expect(history.undo()).toBeNull();
  expect(history.redo()).toBe("Marked pages 1 and 2");
  expect(history.snapshot().marks).toEqual(one);
  expect(heard).toHaveBeenCalledTimes(3);
  history.take([]);
  expect(history.snapshot()).toMatchObject({ marks: [], canUndo: false, canRedo: false });
});

it("forgets what was undone once something else is done", () => {
  const history = new MarksHistory([]);
  history.change(marked([], [whole("page/1")]), "Marked page 1");
  history.undo();
  history.change(marked([], [whole("page/2")]), "Marked page 2");
  expect(history.redo()).toBeNull();
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
