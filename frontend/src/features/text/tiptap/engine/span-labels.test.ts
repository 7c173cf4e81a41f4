// @vitest-environment jsdom
import { Editor } from "@tiptap/core";
import { expect, test } from "vitest";
import { extensions } from "./extensions";
import { positionAt } from "./place";
import { spans } from "./queries";
import { labelSpans } from "./span-labels";

test("a span keeps its label when its first character is deleted, and has none once all of it is", () => {
  const editor = new Editor({
    element: document.createElement("div"),
    extensions: extensions("a <$S>bcd<$E> e"),
    injectCSS: false,
  });
  const shown = () =>
    Array.from(editor.view.dom.querySelectorAll<HTMLElement>("[data-label]"), (one) => [
      one.dataset.label,
      one.textContent,
    ]);
  const remove = (from: number, to: number) => {
    const { doc, tr } = editor.state;
    editor.view.dispatch(tr.delete(positionAt(doc, from), positionAt(doc, to)));
  };
  const [span] = spans(editor.state.doc);
  editor.view.dispatch(labelSpans(editor.state, new Map([[span?.id ?? -1, "SECRET"]])));
  expect(shown()).toEqual([["SECRET", "b"]]);
  remove(2, 3);
  expect(shown()).toEqual([["SECRET", "c"]]);
  remove(1, 5);
  expect(shown()).toEqual([]);
  editor.destroy();
});
