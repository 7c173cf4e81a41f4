/**
 * The law of frontend/src/editor/law.ts, in the real editor, by real keys, mouse and input methods: what stands between
 * <$S> and <$E> at the gateway after each deed, and that the plain stream is the rest and no more.
 *
 * In these texts what is classified is written in capitals, so that what is lost or told shows.
 */
import type { CDPSession, Locator, Page } from "@playwright/test";
import { expectAccessible } from "../fixtures/looks.ts";
import type { Person } from "../fixtures/people.ts";
import { makeDraft } from "../fixtures/seed.ts";
import { expect, test } from "../fixtures/test.ts";

const BEGUN = "to <$S>IDA<$E> now";
/** Where `BEGUN`'s span begins and ends in its text. */
const START = 3;
const END = 6;

type Deed = (desk: Desk) => Promise<void>;
/** What is done, to what, and what it is then. */
type Case = readonly [name: string, before: string, deed: Deed, after: string];

/** One author's editor, with one new document after another. */
class Desk {
  readonly page: Page;
  readonly text: Locator;
  readonly #author: Person;
  readonly #devtools: CDPSession;
  #draft = "";

  private constructor(page: Page, author: Person, devtools: CDPSession) {
    this.page = page;
    this.text = page.getByRole("textbox", { name: "Text of the document" });
    this.#author = author;
    this.#devtools = devtools;
  }

  static async of(page: Page, author: Person): Promise<Desk> {
    return new Desk(page, author, await page.context().newCDPSession(page));
  }

  async open(marked: string): Promise<void> {
    const { id } = await makeDraft(this.#author, "law.txt", marked);
    this.#draft = id;
    await this.page.goto(`/documents/${id}`);
    await this.text.focus();
  }

  /** Moves the cursor from the text's start by this many characters, by keys. */
  async cursor(offset: number): Promise<void> {
    await this.keys(...Array<string>(offset).fill("ArrowRight"));
  }

  /** Selects from one offset to another, by keys. The cursor is at the text's start. */
  async select(from: number, to: number): Promise<void> {
    await this.cursor(from);
    await this.keys(...Array<string>(to - from).fill("Shift+ArrowRight"));
  }

  async keys(...keys: string[]): Promise<void> {
    for (const key of keys) await this.page.keyboard.press(key);
  }

  type(text: string): Promise<void> {
    return this.page.keyboard.type(text);
  }

  /** Clicks before the letter, or behind it: each of the document's letters that is used so stands there once. */
  async click(letter: string, side: "before" | "behind"): Promise<void> {
    const { left, right, y } = await this.#place(letter);
    await this.page.mouse.click(side === "before" ? left + 1 : right - 1, y);
  }

  /** Drags what is selected, taking it at one letter, to a place before another one. */
  async drag(from: string, to: string): Promise<void> {
    const [taken, there] = [await this.#place(from), await this.#place(to)];
    const { mouse } = this.page;
    await mouse.move((taken.left + taken.right) / 2, taken.y);
    await mouse.down();
    await mouse.move(taken.right + 4, taken.y + 2);
    await mouse.move(there.left + 1, there.y);
    await mouse.up();
  }

  /** As an input method writes: what it shows while one composes, and what it leaves. */
  async compose(shown: readonly string[], left: string): Promise<void> {
    for (const text of shown) {
      const at = { selectionStart: text.length, selectionEnd: text.length };
      await this.#devtools.send("Input.imeSetComposition", { text, ...at });
    }
    await this.#devtools.send("Input.insertText", { text: left });
  }

  /** As a program copies. */
  async clipboard(text: string): Promise<void> {
    await this.page.context().grantPermissions(["clipboard-write"]);
    await this.page.evaluate((copied) => navigator.clipboard.writeText(copied), text);
  }

  /** The gateway has just this, classified as it is here; and the plain stream is the rest. */
  async expectSaved(marked: string): Promise<void> {
    await expect.poll(() => this.#saved("content?edition=marked"), { intervals: [20, 50, 100] }).toBe(marked);
    // A tag that was written as text has one more $ in marked text.
    const plain = marked.replace(/<\$S>.*?<\$E>/gs, "").replace(/<\$\$(?=\$*[SE]>)/g, "<$");
    expect(await this.#saved("plain"), "the plain stream").toBe(plain);
    await expect(this.page.getByText("Saved", { exact: true })).toBeVisible();
  }

  async #saved(what: string): Promise<string> {
    const answer = await this.page.request.get(`/api/v1/drafts/${this.#draft}/${what}`);
    return answer.text();
  }

  #place(letter: string): Promise<{ left: number; right: number; y: number }> {
    return this.text.evaluate((text, wanted) => {
      const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const at = node.textContent?.indexOf(wanted) ?? -1;
        if (at < 0) continue;
        const range = document.createRange();
        range.setStart(node, at);
        range.setEnd(node, at + wanted.length);
        const { left, right, top, bottom } = range.getBoundingClientRect();
        return { left, right, y: (top + bottom) / 2 };
      }
      throw new Error(`the text has no ${wanted}`);
    }, letter);
  }
}

/** One case after the other, in one browser. */
function play(title: string, cases: readonly Case[]): void {
  test(title, async ({ people, open }) => {
    const anna = await people.author();
    const desk = await Desk.of(await open(anna), anna);
    for (const [name, before, deed, after] of cases) {
      await test.step(name, async () => {
        await desk.open(before);
        await deed(desk);
        await desk.expectSaved(after);
      });
    }
    await expectAccessible(desk.page, ["light", "dark"]);
  });
}

play("typing takes the span of the character before", [
  ["inside", BEGUN, async (d) => (await d.cursor(START + 1), d.type("xy")), "to <$S>IxyDA<$E> now"],
  ["at the end", BEGUN, async (d) => (await d.cursor(END), d.type("xy")), "to <$S>IDAxy<$E> now"],
  ["at the start", BEGUN, async (d) => (await d.cursor(START), d.type("xy")), "to xy<$S>IDA<$E> now"],
  ["at the start of a line", "<$S>IDA<$E> now", (d) => d.type("xy"), "xy<$S>IDA<$E> now"],
  [
    "between two that touch",
    "<$S>IDA<$E><$S>MAY<$E>",
    async (d) => (await d.cursor(3), d.type("x")),
    "<$S>IDAx<$E><$S>MAY<$E>",
  ],
  [
    "after a line end that is classified",
    "to <$S>IDA\n<$E>now",
    async (d) => (await d.cursor(7), d.type("x")),
    "to <$S>IDA\nx<$E>now",
  ],
  ["after a click at the end", BEGUN, async (d) => (await d.click("A", "behind"), d.type("x")), "to <$S>IDAx<$E> now"],
  [
    "after a click at the start",
    BEGUN,
    async (d) => (await d.click("I", "before"), d.type("x")),
    "to x<$S>IDA<$E> now",
  ],
  [
    "beside what is not seen",
    "to\u200b<$S>\ufeffIDA\u00a0<$E>e\u0301",
    async (d) => (await d.cursor(8), d.type("  x")),
    "to\u200b<$S>\ufeffIDA\u00a0  x<$E>e\u0301",
  ],
]);

play("a cursor that came from inside types what is classified, until a click", [
  [
    "by an arrow",
    BEGUN,
    async (d) => (await d.click("D", "before"), await d.keys("ArrowLeft"), d.type("x")),
    "to <$S>xIDA<$E> now",
  ],
  [
    "by Home",
    "<$S>IDA<$E> now",
    async (d) => (await d.click("D", "before"), await d.keys("Home"), d.type("x")),
    "<$S>xIDA<$E> now",
  ],
  [
    "by an arrow from outside",
    BEGUN,
    async (d) => (await d.click("o", "behind"), await d.keys("ArrowRight"), d.type("x")),
    "to x<$S>IDA<$E> now",
  ],
  [
    "then a click",
    BEGUN,
    async (d) => {
      await d.click("D", "before");
      await d.keys("ArrowLeft");
      await d.click("I", "before");
      await d.type("x");
    },
    "to x<$S>IDA<$E> now",
  ],
  [
    "where all of it was deleted",
    BEGUN,
    async (d) => {
      await d.cursor(END);
      await d.keys("Backspace", "Backspace", "Backspace");
      await d.expectSaved("to  now");
      await d.type("x");
    },
    "to <$S>x<$E> now",
  ],
]);

play("Enter", [
  [
    "inside",
    BEGUN,
    async (d) => (await d.cursor(START + 1), await d.keys("Enter"), d.type("x")),
    "to <$S>I\nxDA<$E> now",
  ],
  [
    "at the end, and again",
    BEGUN,
    async (d) => {
      await d.cursor(END);
      await d.keys("Enter");
      await d.type("x");
      await d.keys("Shift+Enter");
      await d.type("y");
    },
    "to <$S>IDA\nx\ny<$E> now",
  ],
  ["at the start", BEGUN, async (d) => (await d.cursor(START), d.keys("Enter")), "to \n<$S>IDA<$E> now"],
  [
    "at the document's end",
    "to <$S>IDA<$E>",
    async (d) => (await d.keys("Control+End", "Enter"), d.type("x")),
    "to <$S>IDA\nx<$E>",
  ],
  [
    "as the document writes line ends",
    "to <$S>IDA<$E>\r\nnow",
    async (d) => (await d.cursor(END), d.keys("Enter")),
    "to <$S>IDA\r\n<$E>\r\nnow",
  ],
]);

play("what takes the place of a selection, and what is deleted", [
  ["of all of a span", BEGUN, async (d) => (await d.select(START, END), d.type("x")), "to <$S>x<$E> now"],
  ["of its end and what follows", BEGUN, async (d) => (await d.select(4, 8), d.type("x")), "to <$S>Ix<$E>ow"],
  ["of its start and what comes before", BEGUN, async (d) => (await d.select(1, 5), d.type("x")), "tx<$S>A<$E> now"],
  ["of everything", BEGUN, async (d) => (await d.keys("Control+a"), d.type("x")), "x"],
  ["over lines", "to\n<$S>IDA\nMAY<$E>\nnow", async (d) => (await d.select(1, 8), d.type("x")), "tx<$S>AY<$E>\nnow"],
  ["deleting over an edge", BEGUN, async (d) => (await d.select(1, 4), d.keys("Delete")), "t<$S>DA<$E> now"],
  [
    "deleting a span's words",
    "to <$S>IDA MAY<$E>",
    async (d) => (await d.keys("Control+End"), d.keys("Control+Backspace")),
    "to <$S>IDA <$E>",
  ],
  ["joining lines before", "to\n<$S>IDA<$E>", async (d) => (await d.cursor(3), d.keys("Backspace")), "to<$S>IDA<$E>"],
  ["joining lines behind", "<$S>IDA\n<$E>now", async (d) => (await d.cursor(3), d.keys("Delete")), "<$S>IDA<$E>now"],
]);

play("copying, cutting and pasting", [
  [
    "plain text into a span",
    BEGUN,
    async (d) => {
      await d.select(0, 2);
      await d.keys("Control+c", "ArrowRight", "ArrowRight", "ArrowRight", "Control+v");
    },
    "to <$S>ItoDA<$E> now",
  ],
  [
    "from elsewhere into a span, over lines",
    BEGUN,
    async (d) => {
      await d.clipboard("one\ntwo");
      await d.cursor(END);
      await d.keys("Control+v");
    },
    "to <$S>IDAone\ntwo<$E> now",
  ],
  [
    "from elsewhere between",
    BEGUN,
    async (d) => {
      await d.clipboard("one");
      await d.keys("Control+v");
    },
    "oneto <$S>IDA<$E> now",
  ],
  [
    "tags are text",
    BEGUN,
    async (d) => {
      await d.clipboard("<$S>one<$E>");
      await d.keys("Control+v");
    },
    "<$$S>one<$$E>to <$S>IDA<$E> now",
  ],
  [
    "what is classified comes classified",
    BEGUN,
    async (d) => {
      await d.select(2, 5);
      await d.keys("Control+c", "Control+End", "Control+v");
    },
    "to <$S>IDA<$E> now <$S>ID<$E>",
  ],
  [
    "cut in one place, pasted in another",
    BEGUN,
    async (d) => {
      await d.select(4, 8);
      await d.keys("Control+x");
      await d.expectSaved("to <$S>I<$E>ow");
      await d.keys("Control+Home", "Control+v");
    },
    "<$S>DA<$E> nto <$S>I<$E>ow",
  ],
  [
    "cut, and pasted into another document",
    "here ",
    async (d) => {
      await d.open(BEGUN);
      await d.select(START, END);
      await d.keys("Control+x");
      await d.expectSaved("to  now");
      await d.open("here ");
      await d.keys("Control+End", "Control+v");
    },
    "here <$S>IDA<$E>",
  ],
  [
    "as plain text only",
    "here ",
    async (d) => {
      await d.open(BEGUN);
      await d.select(0, 6);
      await d.keys("Control+c", "Control+End", "Control+Shift+v");
    },
    "to <$S>IDA<$E> nowto <$S>IDA<$E>",
  ],
]);

play("dragging", [
  [
    "what is classified, to where nothing is",
    BEGUN,
    async (d) => (await d.select(START, END), d.drag("D", "w")),
    "to  no<$S>IDA<$E>w",
  ],
  [
    "a part of it and what follows",
    BEGUN,
    async (d) => (await d.select(5, 8), d.drag("A", "t")),
    "<$S>A<$E> nto <$S>ID<$E>ow",
  ],
  ["plain text into a span", BEGUN, async (d) => (await d.select(0, 2), d.drag("t", "D")), " <$S>ItoDA<$E> now"],
  [
    "a copy",
    BEGUN,
    async (d) => {
      await d.select(START, END);
      await d.page.keyboard.down("Control");
      await d.drag("D", "w");
      await d.page.keyboard.up("Control");
    },
    "to <$S>IDA<$E> no<$S>IDA<$E>w",
  ],
]);

const KA = ["k", "ka", "か"];
play("input methods", [
  ["inside", BEGUN, async (d) => (await d.cursor(START + 1), d.compose(KA, "か")), "to <$S>IかDA<$E> now"],
  ["at the end", BEGUN, async (d) => (await d.cursor(END), d.compose(KA, "か")), "to <$S>IDAか<$E> now"],
  ["at the start", BEGUN, async (d) => (await d.cursor(START), d.compose(KA, "か")), "to か<$S>IDA<$E> now"],
  ["at the start of a line", "<$S>IDA<$E>", (d) => d.compose(KA, "か"), "か<$S>IDA<$E>"],
  [
    "at the start, from inside",
    BEGUN,
    async (d) => {
      await d.click("D", "before");
      await d.keys("ArrowLeft");
      await d.compose(KA, "か");
    },
    "to <$S>かIDA<$E> now",
  ],
  [
    "after a line end that is classified",
    "to <$S>IDA\n<$E>",
    async (d) => (await d.keys("Control+End"), d.compose(KA, "か")),
    "to <$S>IDA\nか<$E>",
  ],
  ["in place of a span", BEGUN, async (d) => (await d.select(START, END), d.compose(KA, "か")), "to <$S>か<$E> now"],
  ["over its start", BEGUN, async (d) => (await d.select(1, 4), d.compose(KA, "か")), "tか<$S>DA<$E> now"],
  [
    "over lines of it",
    "to\n<$S>IDA\nMAY<$E>",
    async (d) => (await d.select(4, 8), d.compose(KA, "か")),
    "to\n<$S>IかAY<$E>",
  ],
  [
    "given up",
    BEGUN,
    async (d) => (await d.cursor(END), await d.compose(["k"], ""), d.type("x")),
    "to <$S>IDAx<$E> now",
  ],
  ["all at once", BEGUN, async (d) => (await d.cursor(START + 1), d.compose([], "né😀")), "to <$S>Iné😀DA<$E> now"],
]);

play("marking and unmarking", [
  ["a selection", "to IDA now", async (d) => (await d.select(START, END), d.keys("Control+Shift+s")), BEGUN],
  ["the word at the cursor", "to IDA now", async (d) => (await d.cursor(4), d.keys("Control+Shift+s")), BEGUN],
  [
    "the middle of a span",
    "to <$S>IDAS<$E> now",
    async (d) => (await d.select(4, 6), d.keys("Control+Shift+s")),
    "to <$S>I<$E>DA<$S>S<$E> now",
  ],
  ["the span at the cursor", BEGUN, async (d) => (await d.cursor(4), d.keys("Control+Shift+s")), "to IDA now"],
  [
    "more than a span",
    BEGUN,
    async (d) => {
      await d.select(2, 8);
      await d.page.getByRole("group", { name: "The selection" }).getByRole("button", { name: "Mark" }).click();
    },
    "to<$S> IDA n<$E>ow",
  ],
  [
    "one of the list",
    "to <$S>IDA<$E> and <$S>MAY<$E>",
    (d) => d.page.getByRole("button", { name: "Unmark “MAY”" }).click(),
    "to <$S>IDA<$E> and MAY",
  ],
]);

play("undo and redo restore text and spans exactly", [
  [
    "typing",
    BEGUN,
    async (d) => {
      await d.cursor(END);
      await d.type("xy");
      await d.expectSaved("to <$S>IDAxy<$E> now");
      await d.keys("Control+z");
      await d.expectSaved(BEGUN);
      await d.keys("Control+y");
    },
    "to <$S>IDAxy<$E> now",
  ],
  [
    "deleting two that touch",
    "<$S>IDA<$E><$S>MAY<$E> now",
    async (d) => {
      await d.keys("Control+a", "Delete");
      await d.expectSaved("");
      await d.keys("Control+z");
      await d.expectSaved("<$S>IDA<$E><$S>MAY<$E> now");
      await d.keys("Control+Shift+z", "Control+z");
      await d.cursor(0);
      await d.keys("Control+End");
      await d.type("!");
    },
    "<$S>IDA<$E><$S>MAY<$E> now!",
  ],
  [
    "unmarking the middle",
    BEGUN,
    async (d) => {
      await d.select(4, 5);
      await d.keys("Control+Shift+s");
      await d.expectSaved("to <$S>I<$E>D<$S>A<$E> now");
      await d.page.getByRole("button", { name: "Undo" }).click();
      await d.expectSaved(BEGUN);
      await d.page.getByRole("button", { name: "Redo" }).click();
    },
    "to <$S>I<$E>D<$S>A<$E> now",
  ],
  [
    "dragging",
    BEGUN,
    async (d) => {
      await d.select(START, END);
      await d.drag("D", "w");
      await d.expectSaved("to  no<$S>IDA<$E>w");
      await d.keys("Control+z");
      await d.expectSaved(BEGUN);
      await d.keys("Control+y");
    },
    "to  no<$S>IDA<$E>w",
  ],
  [
    "composing",
    BEGUN,
    async (d) => {
      await d.select(START, END);
      await d.compose(KA, "か");
      await d.expectSaved("to <$S>か<$E> now");
      await d.keys("Control+z");
      await d.expectSaved(BEGUN);
      await d.keys("Control+y");
    },
    "to <$S>か<$E> now",
  ],
]);
