// @vitest-environment jsdom
/** The editor of long texts with its keys and its clipboard. jsdom has no layout: what asks for one is in the stories. */
import { EditorView, runScopeHandlers } from "@codemirror/view";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { MARKED_TYPE } from "@/marked-text/marked-type";
import { LongTextEditor } from "./editor";
import { typesClassified } from "./spans";

let editor: LongTextEditor;
let view: EditorView;

beforeEach(() => {
  Range.prototype.getClientRects = () => [] as unknown as DOMRectList;
});
afterEach(() => close());

function open(marked: string): void {
  editor = new LongTextEditor(marked, "Text");
  editor.mount(document.body);
  const dom = document.querySelector("[data-long-text]")?.shadowRoot?.querySelector<HTMLElement>(".cm-editor");
  const found = dom && EditorView.findFromDOM(dom);
  if (!found) throw new Error("there is no editor");
  view = found;
}

function close(): void {
  editor.destroy();
  document.body.replaceChildren();
}

const select = (anchor: number, head = anchor) => view.dispatch({ selection: { anchor, head } });
const press = (key: string, options: KeyboardEventInit = {}) =>
  runScopeHandlers(view, new KeyboardEvent("keydown", { key, ...options }), "editor");

class Clipboard {
  readonly #kept = new Map<string, string>();
  clearData = () => this.#kept.clear();
  setData = (type: string, text: string) => void this.#kept.set(type, text);
  getData = (type: string) => this.#kept.get(type) ?? "";
}

function clipboardWith(text: string, marked?: string): Clipboard {
  const clipboard = new Clipboard();
  clipboard.setData("text/plain", text);
  if (marked !== undefined) clipboard.setData(MARKED_TYPE, marked);
  return clipboard;
}

function clipboardEvent(type: "copy" | "cut" | "paste", clipboardData = new Clipboard()): Clipboard {
  const event = new Event(type, { bubbles: true, cancelable: true });
  view.contentDOM.dispatchEvent(Object.assign(event, { clipboardData }));
  return clipboardData;
}

describe("what an eavesdropper sees", () => {
  test("no key, no clipboard and no command changes what is hidden, and no outline tells where it is", () => {
    open("one <$S>two<$E> three");
    select(0);
    press("Delete");
    editor.showPlaces([{ from: 0, to: 2 }], 0);
    const marked = "ne <$S>two<$E> three";
    expect(editor.text()).toBe(marked);
    editor.eavesdrop(true);
    select(4);
    for (const key of ["Backspace", "Delete", "Enter"]) press(key);
    press("z", { ctrlKey: true });
    clipboardEvent("paste", clipboardWith("x"));
    clipboardEvent("cut");
    const places = [{ from: 0, to: 6 }];
    expect([editor.mark(places), editor.unmark(places), editor.toggle()]).toEqual([false, false, false]);
    editor.showPlaces(places, 0);
    expect(view.dom.querySelector(".found-place")).toBe(null);
    editor.undo();
    expect(editor.text()).toBe(marked);
    editor.eavesdrop(false);
    press("z", { ctrlKey: true });
    expect(editor.text()).toBe("one <$S>two<$E> three");
  });

  test("what is withheld is not to be had by copying", () => {
    open("one <$S>two<$E> three");
    editor.eavesdrop(true);
    select(0, 13);
    const clipboard = clipboardEvent("copy");
    expect([clipboard.getData("text/plain"), clipboard.getData(MARKED_TYPE)]).toEqual(["one  three", ""]);
  });
});

test("arrow keys out of a span and deleting it make the cursor remember it, a click makes it forget", () => {
  const type = (text: string) => view.dispatch(view.state.replaceSelection(text), { userEvent: "input.type" });
  open("ab<$S>cd<$E>ef");
  select(3);
  press("ArrowLeft");
  expect(typesClassified(view.state)).toBe(true);
  type("x");
  expect(editor.text()).toBe("ab<$S>xcd<$E>ef");
  for (const key of ["Delete", "Delete", "Backspace"]) press(key);
  expect(editor.text()).toBe("abef");
  type("x");
  expect(editor.text()).toBe("ab<$S>x<$E>ef");
  press("ArrowLeft");
  view.contentDOM.dispatchEvent(new MouseEvent("click", { bubbles: true }));
  expect(typesClassified(view.state)).toBe(false);
  type("y");
  expect(editor.text()).toBe("aby<$S>x<$E>ef");
});

test("a very long line takes typed text without a look at the page, by the same rules", () => {
  const typed = (options: InputEventInit = {}) => {
    const init = { inputType: "insertText", data: "x", bubbles: true, cancelable: true, ...options };
    return !view.contentDOM.dispatchEvent(new InputEvent("beforeinput", init));
  };
  const long = "a".repeat(200_000);
  open(`<$S>${long}<$E>b\nshort`);
  select(200_000);
  expect(typed()).toBe(true);
  expect(editor.text()).toBe(`<$S>${long}x<$E>b\nshort`);
  select(0, 200_001);
  expect(typed({ data: "yz" })).toBe(true);
  expect([editor.text(), view.state.selection.main.head]).toEqual(["<$S>yz<$E>b\nshort", 2]);
  editor.undo();
  expect(editor.text()).toBe(`<$S>${long}x<$E>b\nshort`);
  // What is composed, deleted or dropped, and what is typed into a short line, is the browser's.
  select(3);
  for (const other of [{ isComposing: true }, { inputType: "insertFromDrop" }, { data: null }])
    expect(typed(other)).toBe(false);
  select(200_004);
  expect(typed()).toBe(false);
  select(0);
  editor.eavesdrop(true);
  typed();
  expect(editor.text()).toBe(`<$S>${long}x<$E>b\nshort`);
});

describe("the clipboard", () => {
  test("what is classified leaves as marked text, and comes in as that", () => {
    open("ab<$S>c\r\nd<$E><$S>e<$E>f");
    select(0, 7);
    const clipboard = clipboardEvent("copy");
    expect(clipboard.getData("text/plain")).toBe("abc\r\nde");
    expect(clipboard.getData(MARKED_TYPE)).toBe("ab<$S>c\r\nd<$E><$S>e<$E>");
    close();
    open("1\n2");
    select(1);
    clipboardEvent("paste", clipboard);
    expect(editor.text()).toBe("1ab<$S>c\nd<$E><$S>e<$E>\n2");
    expect(editor.state.selection.main.head).toBe(7);
  });

  test("the last copy is remembered where that type is lost, whatever became of its line ends", () => {
    open("<$S>top\r\nsecret<$E> open");
    select(0, 11);
    clipboardEvent("copy");
    select(16);
    clipboardEvent("paste", clipboardWith("top\nsecret"));
    expect(editor.text()).toBe("<$S>top\r\nsecret<$E> open<$S>top\r\nsecret<$E>");
    select(2);
    clipboardEvent("paste", clipboardWith("x\n\0", "x\n\ufffd"));
    expect(editor.text()).toBe("<$S>tox\r\n\ufffdp\r\nsecret<$E> open<$S>top\r\nsecret<$E>");
  });

  test("headings and lists of HTML come in in one step, classified in a classified span", () => {
    const clipboard = clipboardWith("Berths\nPilots");
    clipboard.setData("text/html", "<h1>Berths</h1><ul><li>Pilots</li><li>&lt;$S&gt;</li></ul>");
    open("ab<$S>cd<$E>");
    select(3);
    clipboardEvent("paste", clipboard);
    expect(editor.text()).toBe("ab<$S>c# Berths\n\n- Pilots\n- <$$S>d<$E>");
    press("z", { ctrlKey: true });
    expect(editor.text()).toBe("ab<$S>cd<$E>");
  });

  test("what is copied comes in where it is pasted, with its marks", () => {
    const pieces = fc.array(fc.tuple(fc.constantFrom("a", "b ", "\r\n", "é", "<$S>"), fc.boolean()), { maxLength: 8 });
    const printed = (texts: [string, boolean][]) =>
      texts.map(([text, is]) => (is ? `<$S>${text.replace("<$", "<$$$")}<$E>` : text.replace("<$", "<$$$"))).join("");
    fc.assert(
      fc.property(pieces, (texts) => {
        const marked = printed(texts);
        open(`${marked}x\r\ny`);
        select(0, texts.map(([text]) => text).join("").length);
        const clipboard = clipboardEvent("copy");
        select(editor.state.doc.length);
        if (marked) clipboardEvent("paste", clipboard);
        const after = editor.text();
        close();
        expect(after).toBe(`${marked}x\r\ny${marked}`);
      }),
      { numRuns: 40 },
    );
    open("");
  });
});

describe("what somebody else saved", () => {
  test("comes in; nothing can be undone into what was there, and the cursor stays at its text", () => {
    open("Berth <$S>three<$E> opens.");
    select(18);
    view.dispatch(view.state.replaceSelection("!"));
    view.dispatch({ selection: { anchor: 12 } });
    const taken = "Theirs. Berth <$S>three<$E> opens.<$S>!<$E>";
    editor.replace(taken);
    expect([editor.text(), editor.state.selection.main.head]).toEqual([taken, 20]);
    expect(editor.status().canUndo).toBe(false);
    press("z", { ctrlKey: true });
    expect(editor.text()).toBe(taken);
    view.dispatch({ changes: { from: 0, insert: "x" }, userEvent: "input" });
    press("z", { ctrlKey: true });
    expect(editor.text()).toBe(taken);
  });
});

describe("lines", () => {
  test("no key moves or copies text without its marks", () => {
    open("one\r\n<$S>two<$E>\r\nthree");
    select(6);
    for (const shiftKey of [false, true])
      for (const key of ["ArrowUp", "ArrowDown"]) press(key, { altKey: true, shiftKey });
    expect(editor.text()).toBe("one\r\n<$S>two<$E>\r\nthree");
  });
});
