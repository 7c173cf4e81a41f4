// @vitest-environment jsdom
import { Editor } from "@tiptap/core";
import { beforeEach, expect, test, vi } from "vitest";
import { extensions } from "./engine/extensions";
import { positionAt } from "./engine/place";
import { LeakWatch } from "./leak-watch";

beforeEach(() => {
  vi.useFakeTimers();
});

function watching(marked: string) {
  const editor = new Editor({
    element: document.createElement("div"),
    extensions: extensions(marked),
    injectCSS: false,
  });
  const watch = new LeakWatch(editor);
  const heard = vi.fn();
  const stop = watch.subscribe(heard);
  const type = (offset: number, text: string) => {
    const at = positionAt(editor.state.doc, offset);
    editor.view.dispatch(editor.state.tr.insertText(text, at));
  };
  const written = () => watch.findings().open.map((leak) => leak.written);
  return { editor, watch, heard, stop, type, written };
}

test("it looks once typing pauses, within a tenth of a second", () => {
  const { watch, heard, type } = watching("<$S>Heron<$E> and ");
  vi.advanceTimersByTime(100);
  expect(watch.findings().places).toBe(0);
  heard.mockClear();
  for (const [at, letter] of [..."Heron"].entries()) {
    type(10 + at, letter);
    vi.advanceTimersByTime(20);
  }
  expect(heard).not.toHaveBeenCalled();
  vi.advanceTimersByTime(80);
  expect(heard).toHaveBeenCalledTimes(1);
  expect(watch.findings().places).toBe(1);
});

test("what is left stays left until there is more of it", () => {
  const { watch, type, written } = watching("<$S>Heron<$E> heron, <$S>Ida<$E> Ida");
  expect(watch.now().places).toBe(2);
  const [heron] = watch.findings().open;
  if (heron) watch.leave(heron, "a bird");
  expect(written()).toEqual(["Ida"]);
  expect(watch.findings()).toMatchObject({ places: 1, left: 1, reasons: ["Heron: a bird"] });
  type(20, " x");
  watch.now();
  expect(written()).toEqual(["Ida"]);
  type(22, " Heron");
  watch.now();
  expect(written()).toEqual(["Heron", "Ida"]);
  const [again] = watch.findings().open;
  if (again) watch.leave(again, "");
  watch.takeBack();
  expect(watch.findings()).toMatchObject({ places: 3, left: 0, reasons: [] });
});

test("once nobody listens it looks no more", () => {
  const { watch, stop, type } = watching("<$S>Heron<$E> ");
  vi.advanceTimersByTime(100);
  type(6, "Heron");
  stop();
  vi.advanceTimersByTime(1000);
  expect(watch.findings().places).toBe(0);
});
