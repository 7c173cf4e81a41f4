// @vitest-environment jsdom
import { expect, test, vi } from "vitest";
import { LongTextEditor } from "./editor";
import { indexAt, SpanIndexes } from "./span-index";

test("spans by number follow the text a moment later, while somebody listens", () => {
  vi.useFakeTimers();
  Range.prototype.getClientRects = () => [] as unknown as DOMRectList;
  const editor = new LongTextEditor("a <$S>b<$E> c <$S>d<$E><$S>e<$E>", "Text");
  const indexes = new SpanIndexes(editor);
  const heard = vi.fn();
  const stop = indexes.subscribe(heard);
  vi.runAllTimers();
  const { spans } = indexes.latest();
  expect(spans).toEqual([
    { from: 2, to: 3 },
    { from: 6, to: 7 },
    { from: 7, to: 8 },
  ]);
  expect([0, 2, 3, 5, 8].map((pos) => indexAt(indexes.latest(), pos))).toEqual([-1, 0, 0, -1, 2]);
  editor.unmark([{ from: 2, to: 3 }]);
  expect(indexes.latest().spans).toBe(spans);
  vi.runAllTimers();
  expect(indexes.latest().spans).toHaveLength(2);
  expect(heard).toHaveBeenCalledTimes(2);
  stop();
  editor.unmark([{ from: 6, to: 7 }]);
  vi.runAllTimers();
  expect(indexes.latest().spans).toHaveLength(2);
  vi.useRealTimers();
});
