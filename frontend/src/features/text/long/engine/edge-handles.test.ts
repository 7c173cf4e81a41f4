// @vitest-environment jsdom
/**
 * The handles at the edges of a span of a long text. jsdom has no layout: here each character is ten pixels wide, all
 * are in one line, and of that the upper 100 pixels are seen. How it looks and feels is in the stories.
 */
import { EditorView } from "@codemirror/view";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { newsOf } from "@/features/text/long/span-announcements";
import { LongTextEditor } from "./editor";

/** Frames are drawn late on a busy machine. */
const PATIENCE_MS = 30_000;

let editor: LongTextEditor;
let view: EditorView;
const heard: (string | null)[] = [];

beforeEach(() => {
  // It is taken for a Safari.
  Object.assign(document, { execCommand: () => false });
  Range.prototype.getBoundingClientRect = () => new DOMRect();
  Range.prototype.getClientRects = () => [] as unknown as DOMRectList;
  Element.prototype.setPointerCapture = () => {};
  heard.length = 0;
});
afterEach(() => {
  editor.destroy();
  document.body.replaceChildren();
});

/** With the cursor at `head`. */
async function open(marked: string, head: number): Promise<void> {
  editor = new LongTextEditor(marked, "Text");
  editor.mount(document.body);
  const dom = document.querySelector("[data-long-text]")?.shadowRoot?.querySelector<HTMLElement>(".cm-editor");
  const found = dom && EditorView.findFromDOM(dom);
  if (!found) throw new Error("there is no editor");
  view = found;
  vi.spyOn(view, "coordsAtPos").mockImplementation((pos) => ({ left: pos * 10, right: pos * 10, top: 0, bottom: 10 }));
  vi.spyOn(view, "posAtCoords").mockImplementation(({ x }) =>
    Math.max(0, Math.min(Math.round(x / 10), view.state.doc.length)),
  );
  vi.spyOn(view.scrollDOM, "getBoundingClientRect").mockReturnValue(new DOMRect(0, 0, 800, 100));
  editor.onTransaction((tr) => {
    const news = newsOf(tr);
    if (news) heard.push(news);
  });
  editor.focus();
  view.dispatch({ selection: { anchor: head } });
  await vi.waitFor(() => expect(seen()).toHaveLength(2), PATIENCE_MS);
}

const handles = () => [...view.dom.querySelectorAll<HTMLElement>(".edge-handle")];
const seen = () => handles().filter(({ hidden }) => !hidden);
const gained = () => view.dom.querySelector(".edge-gained")?.textContent;
const lost = () => view.dom.querySelector(".edge-lost")?.textContent;

type Kind = "pointerdown" | "pointermove" | "pointerup" | "pointercancel";

/** `at`: the character's left edge; the pointer is a little below, on the handle. */
function point(kind: Kind, edge: "start" | "end", at: number, more: PointerEventInit = {}): void {
  const handle = handles().find(({ dataset }) => dataset.edge === edge);
  const place = { clientX: at * 10, clientY: 15, pointerId: 1, isPrimary: true, bubbles: true, cancelable: true };
  handle?.dispatchEvent(new PointerEvent(kind, { ...place, ...more }));
}

const MARKED = "The pilot <$S>Ida<$E> Berg, of Alpha.";

test("an edge is dragged: shown before, done when it is let go, announced once, and one step to undo", async () => {
  await open(MARKED, 12);
  point("pointerdown", "end", 13);
  point("pointermove", "end", 16);
  point("pointermove", "end", 18);
  expect([gained(), editor.text(), heard]).toEqual([" Berg", MARKED, []]);
  point("pointerup", "end", 18);
  expect(editor.text()).toBe("The pilot <$S>Ida Berg<$E>, of Alpha.");
  expect([gained(), view.state.selection.main.head, heard]).toEqual([undefined, 18, ["The span now has 8 characters"]]);
  editor.undo();
  expect(editor.text()).toBe(MARKED);

  view.dispatch({ selection: { anchor: 11 } });
  point("pointerdown", "start", 10);
  point("pointermove", "start", 12);
  expect(lost()).toBe("Id");
  point("pointerup", "start", 30);
  expect(editor.text()).toBe("The pilot Id<$S>a<$E> Berg, of Alpha.");
});

test("Escape, a touch that is taken away, and a change of the text end it; what is let go then does nothing", async () => {
  await open(MARKED, 12);
  const ends = [
    () => window.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape" })),
    () => point("pointercancel", "end", 18),
    () => view.dispatch({ changes: { from: 0, insert: "x" } }),
  ];
  for (const end of ends) {
    point("pointerdown", "end", 13);
    point("pointermove", "end", 18);
    expect(gained()).toBeTruthy();
    end();
    expect(gained()).toBe(undefined);
    point("pointermove", "end", 18);
    point("pointerup", "end", 18);
    expect(gained()).toBe(undefined);
  }
  expect([editor.text(), heard]).toEqual([`x${MARKED}`, []]);
});

test("a press without a move is a click into the text, and only the first finger drags", async () => {
  await open(MARKED, 12);
  point("pointerdown", "end", 13);
  point("pointermove", "end", 13.2);
  point("pointerup", "end", 13.3);
  expect([editor.text(), view.state.selection.main.head]).toEqual([MARKED, 13]);
  point("pointerdown", "end", 13, { pointerId: 2, isPrimary: false });
  point("pointermove", "end", 18, { pointerId: 2, isPrimary: false });
  point("pointerup", "end", 18, { pointerId: 2, isPrimary: false });
  expect(editor.text()).toBe(MARKED);
});

test("past the end of what is seen the text comes along, until it is let go", async () => {
  await open(MARKED, 12);
  point("pointerdown", "end", 13);
  point("pointermove", "end", 18);
  expect(view.scrollDOM.scrollTop).toBe(0);
  point("pointermove", "end", 18, { clientY: 140 });
  await vi.waitFor(() => expect(view.scrollDOM.scrollTop).toBeGreaterThan(10), PATIENCE_MS);
  // What has come under the pointer is what it would be.
  vi.mocked(view.posAtCoords).mockReturnValue(22);
  view.scrollDOM.dispatchEvent(new Event("scroll"));
  expect(gained()).toBe(" Berg, of");
  point("pointerup", "end", 18, { clientY: 140 });
  expect(editor.text()).toBe("The pilot <$S>Ida Berg, of<$E> Alpha.");
  const { scrollTop } = view.scrollDOM;
  await new Promise(requestAnimationFrame);
  expect(view.scrollDOM.scrollTop).toBe(scrollTop);
});

test("there are none without a span, with a selection, without the focus, and in what an eavesdropper sees", async () => {
  await open(MARKED, 12);
  const back = async () => {
    view.dispatch({ selection: { anchor: 12 } });
    await vi.waitFor(() => expect(seen()).toHaveLength(2), PATIENCE_MS);
  };
  view.dispatch({ selection: { anchor: 3 } });
  expect(seen()).toEqual([]);
  await back();
  view.dispatch({ selection: { anchor: 10, head: 12 } });
  expect(seen()).toEqual([]);
  // Into a span and out of it within one frame.
  view.dispatch({ selection: { anchor: 12 } });
  view.dispatch({ selection: { anchor: 3 } });
  await new Promise(requestAnimationFrame);
  expect(seen()).toEqual([]);
  await back();
  view.contentDOM.blur();
  await vi.waitFor(() => expect(seen()).toEqual([]), PATIENCE_MS);
  editor.focus();
  await vi.waitFor(() => expect(seen()).toHaveLength(2), PATIENCE_MS);

  point("pointerdown", "end", 13);
  point("pointermove", "end", 18);
  editor.eavesdrop(true);
  expect([handles(), gained()]).toEqual([[], undefined]);
  editor.eavesdrop(false);
  await vi.waitFor(() => expect(seen()).toHaveLength(2), PATIENCE_MS);
  expect(gained()).toBe(undefined);
  expect(editor.text()).toBe(MARKED);
});
