// @vitest-environment jsdom
/** The whole editor in a page, as far as there is one here. */
import { Editor } from "@tiptap/core";
import { afterEach, describe, expect, test } from "vitest";
import { LoadError } from "@/marked-text/limits";
import { MARKED_TYPE } from "@/marked-text/marked-type";
import { extensions } from "./extensions";
import { serialise } from "./serialise";
import { positionOf } from "./session.fixture";

let editor: Editor;

function open(marked: string): Editor {
  editor = new Editor({
    element: document.body.appendChild(document.createElement("div")),
    extensions: extensions(marked),
    injectCSS: false,
  });
  expect(serialise(editor.state.doc)).toBe(marked);
  return editor;
}

afterEach(() => editor.destroy());

const marked = () => serialise(editor.state.doc);

function select(from: number, to = from): void {
  const { doc } = editor.state;
  editor.commands.setTextSelection({ from: positionOf(doc, from), to: positionOf(doc, to) });
}

function press(key: string, modifiers: KeyboardEventInit = {}): boolean {
  const keyCode = { Enter: 13, Backspace: 8, S: 83, F8: 119 }[key] ?? 0;
  const event = new KeyboardEvent("keydown", { key, keyCode, bubbles: true, cancelable: true, ...modifiers });
  editor.view.dom.dispatchEvent(event);
  return event.defaultPrevented;
}

/** jsdom has no clipboard. */
class Clipboard {
  readonly #data = new Map<string, string>();

  setData(type: string, data: string): void {
    this.#data.set(type, data);
  }

  getData(type: string): string {
    return this.#data.get(type) ?? "";
  }

  clearData(): void {
    this.#data.clear();
  }

  get types(): string[] {
    return [...this.#data.keys()];
  }
}

function clipboardEvent(type: "copy" | "cut" | "paste", clipboardData: Clipboard): Event {
  const event = Object.assign(new Event(type, { bubbles: true, cancelable: true }), { clipboardData });
  editor.view.dom.dispatchEvent(event);
  return event;
}

function clipboardWith(text: string): Clipboard {
  const clipboard = new Clipboard();
  clipboard.setData("text/plain", text);
  clipboard.setData("text/html", "<p>one paragraph is its <b>plain text</b></p>");
  return clipboard;
}

test("what is in the page", () => {
  open("ab<$S>c\n\nd<$E>e\n");
  expect(editor.view.dom.innerHTML.replaceAll('<br class="ProseMirror-trailingBreak">', "")).toBe(
    '<div class="chunk"><div class="line line-continued">ab<mark data-span="1" class="classified">c</mark></div>' +
      '<div class="line after-classified-end"></div>' +
      '<div class="line after-classified-end"><mark data-span="1" class="classified">d</mark>e</div>' +
      '<div class="line"></div></div>',
  );
  expect(document.querySelector("style")).toBe(null);
  expect(editor.view.dom.hasAttribute("spellcheck")).toBe(false);
});

test("a document that cannot be held makes no editor", () => {
  expect(() => new Editor({ extensions: extensions("a<$S><$E>") })).toThrow(LoadError);
});

test("keys", () => {
  open("one two\r\nthree");
  select(4, 7);
  expect(press("S", { ctrlKey: true, shiftKey: true })).toBe(true);
  expect(marked()).toBe("one <$S>two<$E>\r\nthree");
  select(7);
  expect(press("Enter")).toBe(true);
  expect(marked()).toBe("one <$S>two\r\n<$E>\r\nthree");
  expect(press("Backspace")).toBe(true);
  expect(marked()).toBe("one <$S>two<$E>\r\nthree");
  select(0);
  expect(press("F8")).toBe(true);
  expect(editor.state.selection).toMatchObject({ from: 6, to: 9 });
  expect(press("F8", { shiftKey: true })).toBe(true);
  expect(press("S", { ctrlKey: true, shiftKey: true })).toBe(true);
  expect(marked()).toBe("one two\r\nthree");
  editor.commands.undo();
  expect(marked()).toBe("one <$S>two<$E>\r\nthree");
});

test("commands", () => {
  open("one two\nthree");
  select(5);
  expect(editor.commands.markClassified()).toBe(true);
  expect(marked()).toBe("one <$S>two<$E>\nthree");
  expect(editor.can().unmarkClassified()).toBe(true);
  expect(editor.chain().toggleClassified().run()).toBe(true);
  expect(marked()).toBe("one two\nthree");
  expect(editor.commands.markRanges([{ from: 2, to: 5 }])).toBe(true);
  expect(editor.commands.nextSpan()).toBe(true);
  expect(editor.commands.selectSpan(99)).toBe(false);
});

describe("the clipboard", () => {
  test("takes plain text, and its tags are text", () => {
    open("ab");
    select(1);
    expect(clipboardEvent("paste", clipboardWith("<$S>x\r\ny")).defaultPrevented).toBe(true);
    expect(marked()).toBe("a<$$S>x\nyb");
  });

  test("takes headings and lists from HTML in one step, classified in a classified span", () => {
    const clipboard = clipboardWith("Berths\n·       Pilots\n·       Tugs");
    clipboard.setData("text/html", "<h1>Berths</h1><ul><li>Pilots</li><li>&lt;$S&gt;</li></ul>");
    open("ab<$S>cd<$E>");
    select(3);
    clipboardEvent("paste", clipboard);
    expect(marked()).toBe("ab<$S>c# Berths\n\n- Pilots\n- <$$S>d<$E>");
    editor.commands.undo();
    expect(marked()).toBe("ab<$S>cd<$E>");
  });

  test("takes HTML where it is all there is", () => {
    const clipboard = new Clipboard();
    clipboard.setData("text/html", "<p>One</p><p>two</p>");
    open("");
    clipboardEvent("paste", clipboard);
    expect(marked()).toBe("One\n\ntwo");
  });

  test("gives plain text, and what is classified in a type of its own", () => {
    open("ab<$S>c\r\nd<$E><$S>e<$E>f");
    editor.commands.selectAll();
    const clipboard = new Clipboard();
    clipboardEvent("copy", clipboard);
    expect(clipboard.types).toEqual(["text/plain", MARKED_TYPE]);
    expect(clipboard.getData("text/plain")).toBe("abc\r\ndef");
    expect(clipboard.getData(MARKED_TYPE)).toBe("ab<$S>c\r\nd<$E><$S>e<$E>f");

    editor.destroy();
    open("1\n2");
    select(1);
    clipboardEvent("paste", clipboard);
    expect(marked()).toBe("1ab<$S>c\nd<$E><$S>e<$E>f\n2");
  });

  test("remembers the last copy, where that type is lost", () => {
    open("<$S>secret<$E> open");
    select(0, 6);
    clipboardEvent("copy", new Clipboard());
    select(11);
    clipboardEvent("paste", clipboardWith("secret"));
    expect(marked()).toBe("<$S>secret<$E> open<$S>secret<$E>");
    select(9);
    clipboardEvent("paste", clipboardWith("secrets"));
    expect(marked()).toBe("<$S>secret<$E> opsecretsen<$S>secret<$E>");
  });

  test("a type of ours that says something else than the text is not believed", () => {
    open("ab");
    for (const lie of ["<$S>other<$E>", "<$S>text"]) {
      const clipboard = clipboardWith("text");
      clipboard.setData(MARKED_TYPE, lie);
      select(1);
      clipboardEvent("paste", clipboard);
    }
    expect(marked()).toBe("atexttextb");
  });

  test("cuts", () => {
    open("ab<$S>cd<$E>");
    select(1, 3);
    const clipboard = new Clipboard();
    clipboardEvent("cut", clipboard);
    expect(marked()).toBe("a<$S>d<$E>");
    expect(clipboard.getData(MARKED_TYPE)).toBe("b<$S>c<$E>");
  });

  test("changes nothing that is read-only, but copies from it", () => {
    open("ab<$S>cd<$E>");
    editor.setEditable(false);
    editor.commands.selectAll();
    const clipboard = new Clipboard();
    clipboardEvent("copy", clipboard);
    clipboardEvent("cut", new Clipboard());
    clipboardEvent("paste", clipboard);
    press("Enter");
    press("Backspace");
    expect(marked()).toBe("ab<$S>cd<$E>");
    expect(clipboard.getData("text/plain")).toBe("abcd");
  });

  test("what no editor can hold comes in as replacement characters", () => {
    open("");
    clipboardEvent("paste", clipboardWith("a\0b\ud800c"));
    expect(marked()).toBe("a\ufffdb\ufffdc");
  });
});
