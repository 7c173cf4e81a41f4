/**
 * The rules of frontend/src/marked-text/typing-rules.ts in the real editor, with real keys, mouse and input methods:
 * after each case the gateway has exactly the expected text between <$S> and <$E>, and the plain stream is the rest.
 * `large-text.spec.ts` has those for long texts.
 *
 * In these texts classified text is in capitals, so that a loss or a leak shows.
 */
import type { CDPSession, Locator, Page } from "@playwright/test";
import type { Person } from "../fixtures/people.ts";
import { makeDraft } from "../fixtures/seed.ts";
import { expect, test } from "../fixtures/test.ts";

const BEGUN = "to <$S>IDA<$E> now";
/** Where `BEGUN`'s span begins and ends in its text. */
const START = 3;
const END = 6;

type Action = (desk: Desk) => Promise<void>;
/** What the author does to which text, and what the text is then. */
type Case = readonly [name: string, before: string, actions: readonly Action[], after: string];

/** Moves the cursor from the text's start by this many characters. */
const at = (offset: number) => (desk: Desk) => desk.cursor(offset);
/** Selects from one offset to another; the cursor is at the text's start. */
const select = (from: number, to: number) => (desk: Desk) => desk.select(from, to);
const keys =
  (...pressed: string[]) =>
  (desk: Desk) =>
    desk.keys(...pressed);
const type = (text: string) => (desk: Desk) => desk.type(text);
/** Clicks before the letter, or behind it: each letter that is used so is in its text once. */
const click = (letter: string, side: "before" | "behind") => (desk: Desk) => desk.click(letter, side);
/** Drags what is selected, taking it at one letter, to a place before another one. */
const drag = (from: string, to: string) => (desk: Desk) => desk.drag(from, to);
const dragCopy = (from: string, to: string) => async (desk: Desk) => {
  await desk.page.keyboard.down("Control");
  await desk.drag(from, to);
  await desk.page.keyboard.up("Control");
};
/** As an input method writes: what it shows while one composes, and what it leaves. */
const compose = (shown: readonly string[], left: string) => (desk: Desk) => desk.compose(shown, left);
/** Another program has copied this. */
const copied = (text: string) => (desk: Desk) => desk.copied(text);
const press = (button: string) => (desk: Desk) => desk.page.getByRole("button", { name: button, exact: true }).click();
const saved = (marked: string) => (desk: Desk) => desk.expectSaved(marked);
const open = (marked: string) => (desk: Desk) => desk.open(marked);

/** One author's editor, with one new document after another. */
class Desk {
  readonly page: Page;
  readonly text: Locator;
  readonly #author: Person;
  readonly #devtools: CDPSession;
  #draft = "";
  #drafts = 0;

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
    const name = `rules ${++this.#drafts}.txt`;
    const { id } = await makeDraft(this.#author, name, marked);
    this.#draft = id;
    // Within the app, which takes less than half as long as to start it again.
    await this.page.evaluate((to) => {
      history.pushState(null, "", to);
      dispatchEvent(new PopStateEvent("popstate"));
    }, `/documents/${id}`);
    await expect(this.page.getByRole("heading", { name, level: 1 })).toBeVisible();
    await this.text.focus();
  }

  async cursor(offset: number): Promise<void> {
    await this.keys(...Array<string>(offset).fill("ArrowRight"));
  }

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

  async click(letter: string, side: "before" | "behind"): Promise<void> {
    const { left, right, y } = await this.#place(letter);
    await this.page.mouse.click(side === "before" ? left + 1 : right - 1, y);
  }

  async drag(from: string, to: string): Promise<void> {
    const [taken, there] = [await this.#place(from), await this.#place(to)];
    const { mouse } = this.page;
    await mouse.move((taken.left + taken.right) / 2, taken.y);
    await mouse.down();
    await mouse.move(taken.right + 4, taken.y + 2);
    await mouse.move(there.left + 1, there.y);
    await mouse.up();
  }

  async compose(shown: readonly string[], left: string): Promise<void> {
    for (const text of shown) {
      const at = { selectionStart: text.length, selectionEnd: text.length };
      await this.#devtools.send("Input.imeSetComposition", { text, ...at });
    }
    await this.#devtools.send("Input.insertText", { text: left });
  }

  async copied(text: string): Promise<void> {
    await this.page.context().grantPermissions(["clipboard-write"]);
    await this.page.evaluate((words) => navigator.clipboard.writeText(words), text);
  }

  /** The gateway has just this, classified as it is here; and the plain stream is the rest. */
  async expectSaved(marked: string): Promise<void> {
    await this.keys("Control+s");
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

const rules: (readonly [title: string, cases: readonly Case[]])[] = [];

/** A rule of the story that the next `story` makes. */
function rule(title: string, cases: readonly Case[]): void {
  rules.push([title, cases]);
}

/** One case after the other, in one browser. */
function story(title: string): void {
  const ofStory = rules.splice(0);
  test(title, async ({ people, open }) => {
    const anna = await people.author();
    const desk = await Desk.of(await open(anna), anna);
    for (const [about, cases] of ofStory) {
      for (const [name, before, actions, after] of cases) {
        await test.step(`${about}: ${name}`, async () => {
          await desk.open(before);
          for (const action of actions) await action(desk);
          await desk.expectSaved(after);
        });
      }
    }
  });
}

rule("typing takes the span of the character before", [
  ["inside", BEGUN, [at(START + 1), type("xy")], "to <$S>IxyDA<$E> now"],
  ["at the end", BEGUN, [at(END), type("xy")], "to <$S>IDAxy<$E> now"],
  ["at the start", BEGUN, [at(START), type("xy")], "to xy<$S>IDA<$E> now"],
  ["at the start of a line", "<$S>IDA<$E> now", [type("xy")], "xy<$S>IDA<$E> now"],
  ["between two that touch", "<$S>IDA<$E><$S>MAY<$E>", [at(3), type("x")], "<$S>IDAx<$E><$S>MAY<$E>"],
  ["after a line end that is classified", "to <$S>IDA\n<$E>now", [at(7), type("x")], "to <$S>IDA\nx<$E>now"],
  ["after a click at the end", BEGUN, [click("A", "behind"), type("x")], "to <$S>IDAx<$E> now"],
  ["after a click at the start", BEGUN, [click("I", "before"), type("x")], "to x<$S>IDA<$E> now"],
  [
    "beside what is not seen",
    "to<$S>\ufeffIDA\u00a0<$E>e\u0301",
    [at(7), type("  x")],
    "to<$S>\ufeffIDA\u00a0  x<$E>e\u0301",
  ],
]);

rule("a cursor that came from inside types what is classified, until a click", [
  ["by an arrow", BEGUN, [click("D", "before"), keys("ArrowLeft"), type("x")], "to <$S>xIDA<$E> now"],
  ["by Home", "<$S>IDA<$E> now", [click("D", "before"), keys("Home"), type("x")], "<$S>xIDA<$E> now"],
  ["by an arrow from outside", BEGUN, [click("o", "behind"), keys("ArrowRight"), type("x")], "to x<$S>IDA<$E> now"],
  [
    "then a click just there",
    "to <$S>IDA MOY<$E>",
    // Far enough from the one before to be no double click.
    [click("M", "before"), keys("ArrowLeft", "ArrowLeft", "ArrowLeft", "ArrowLeft"), click("I", "before"), type("x")],
    "to x<$S>IDA MOY<$E>",
  ],
  [
    "where all of it was deleted",
    BEGUN,
    [at(END), keys("Backspace", "Backspace", "Backspace"), saved("to  now"), type("x")],
    "to <$S>x<$E> now",
  ],
]);

story("typing");

rule("Enter goes on in the span", [
  ["inside", BEGUN, [at(START + 1), keys("Enter"), type("x")], "to <$S>I\nxDA<$E> now"],
  [
    "at the end, and again",
    BEGUN,
    [at(END), keys("Enter"), type("x"), keys("Shift+Enter"), type("y")],
    "to <$S>IDA\nx\ny<$E> now",
  ],
  ["at the start", BEGUN, [at(START), keys("Enter")], "to \n<$S>IDA<$E> now"],
  ["at the document's end", "to <$S>IDA<$E>", [keys("Control+End", "Enter"), type("x")], "to <$S>IDA\nx<$E>"],
  ["with the document's line ends", "to <$S>IDA<$E>\r\nnow", [at(END), keys("Enter")], "to <$S>IDA\r\n<$E>\r\nnow"],
]);

rule("what takes the place of a selection, and what is deleted", [
  ["all of a span", BEGUN, [select(START, END), type("x")], "to <$S>x<$E> now"],
  ["its end and what follows", BEGUN, [select(4, 8), type("x")], "to <$S>Ix<$E>ow"],
  ["its start and what comes before", BEGUN, [select(1, 5), type("x")], "tx<$S>A<$E> now"],
  ["everything", BEGUN, [keys("Control+a"), type("x")], "x"],
  ["lines", "to\n<$S>IDA\nMAY<$E>\nnow", [select(1, 8), type("x")], "tx<$S>AY<$E>\nnow"],
  ["deleting over an edge", BEGUN, [select(1, 4), keys("Delete")], "t<$S>DA<$E> now"],
  ["deleting a word", "to <$S>IDA MAY<$E>", [keys("Control+End", "Control+Backspace")], "to <$S>IDA <$E>"],
  ["joining with the line before", "to\n<$S>IDA<$E>", [at(3), keys("Backspace")], "to<$S>IDA<$E>"],
  ["joining with the line behind", "<$S>IDA\n<$E>now", [at(3), keys("Delete")], "<$S>IDA<$E>now"],
]);

story("Enter, replacing and deleting");

rule("pasting what is plain", [
  [
    "plain text into a span",
    BEGUN,
    [select(0, 2), keys("Control+c", "ArrowRight", "ArrowRight", "ArrowRight", "Control+v")],
    "to <$S>ItoDA<$E> now",
  ],
  ["from elsewhere into a span", BEGUN, [copied("one\ntwo"), at(END), keys("Control+v")], "to <$S>IDAone\ntwo<$E> now"],
  ["from elsewhere into plain text", BEGUN, [copied("one"), keys("Control+v")], "oneto <$S>IDA<$E> now"],
  ["tags are text", BEGUN, [copied("<$S>one<$E>"), keys("Control+v")], "<$$S>one<$$E>to <$S>IDA<$E> now"],
]);

rule("copying and cutting what is classified", [
  [
    "what is classified stays so",
    BEGUN,
    [select(2, 5), keys("Control+c", "Control+End", "Control+v")],
    "to <$S>IDA<$E> now <$S>ID<$E>",
  ],
  [
    "also when pasted as text alone",
    BEGUN,
    [select(0, 6), keys("Control+c", "Control+End", "Control+Shift+v")],
    "to <$S>IDA<$E> nowto <$S>IDA<$E>",
  ],
  [
    "from one place to another",
    BEGUN,
    [select(4, 8), keys("Control+x"), saved("to <$S>I<$E>ow"), keys("Control+Home", "Control+v")],
    "<$S>DA<$E> nto <$S>I<$E>ow",
  ],
  [
    "from one document to another",
    BEGUN,
    [select(START, END), keys("Control+x"), saved("to  now"), open("here "), keys("Control+End", "Control+v")],
    "here <$S>IDA<$E>",
  ],
]);

rule("dragging", [
  ["what is classified, to where nothing is", BEGUN, [select(START, END), drag("D", "w")], "to  no<$S>IDA<$E>w"],
  ["a part of it and what follows", BEGUN, [select(5, 8), drag("A", "t")], "<$S>A<$E> nto <$S>ID<$E>ow"],
  ["plain text into a span", BEGUN, [select(0, 2), drag("t", "D")], " <$S>ItoDA<$E> now"],
  ["a copy", BEGUN, [select(START, END), dragCopy("D", "w")], "to <$S>IDA<$E> no<$S>IDA<$E>w"],
]);

story("pasting, copying, cutting and dragging");

const KA = ["k", "ka", "か"];
rule("input methods", [
  ["inside", BEGUN, [at(START + 1), compose(KA, "か")], "to <$S>IかDA<$E> now"],
  ["at the end", BEGUN, [at(END), compose(KA, "か")], "to <$S>IDAか<$E> now"],
  ["at the start", BEGUN, [at(START), compose(KA, "か")], "to か<$S>IDA<$E> now"],
  ["at the start of a line", "<$S>IDA<$E>", [compose(KA, "か")], "か<$S>IDA<$E>"],
  [
    "at the start, from inside",
    BEGUN,
    [click("D", "before"), keys("ArrowLeft"), compose(KA, "か")],
    "to <$S>かIDA<$E> now",
  ],
  [
    "after a line end that is classified",
    "to <$S>IDA\n<$E>",
    [keys("Control+End"), compose(KA, "か")],
    "to <$S>IDA\nか<$E>",
  ],
]);

rule("input methods in place of a selection", [
  ["in place of a span", BEGUN, [select(START, END), compose(KA, "か")], "to <$S>か<$E> now"],
  ["over its start", BEGUN, [select(1, 4), compose(KA, "か")], "tか<$S>DA<$E> now"],
  ["over lines of it", "to\n<$S>IDA\nMAY<$E>", [select(4, 8), compose(KA, "か")], "to\n<$S>IかAY<$E>"],
  ["given up", BEGUN, [at(END), compose(["k"], ""), type("x")], "to <$S>IDAx<$E> now"],
  ["all at once", BEGUN, [at(START + 1), compose([], "né😀")], "to <$S>Iné😀DA<$E> now"],
]);

story("input methods");

rule("marking and unmarking", [
  ["a selection", "to IDA now", [select(START, END), keys("Control+Shift+s")], BEGUN],
  ["the word at the cursor", "to IDA now", [at(4), keys("Control+Shift+s")], BEGUN],
  [
    "the middle of a span",
    "to <$S>IDAS<$E> now",
    [select(4, 6), keys("Control+Shift+s")],
    "to <$S>I<$E>DA<$S>S<$E> now",
  ],
  ["the span at the cursor", BEGUN, [at(4), keys("Control+Shift+s")], "to IDA now"],
  ["more than a span, beside it", BEGUN, [select(2, 8), press("Mark")], "to<$S> IDA n<$E>ow"],
  ["one of the list", "to <$S>IDA<$E> and <$S>MAY<$E>", [press("Unmark “MAY”")], "to <$S>IDA<$E> and MAY"],
]);

rule("undo and redo restore text and spans exactly", [
  [
    "typing",
    BEGUN,
    [at(END), type("xy"), saved("to <$S>IDAxy<$E> now"), keys("Control+z"), saved(BEGUN), keys("Control+y")],
    "to <$S>IDAxy<$E> now",
  ],
  [
    "deleting two that touch",
    "<$S>IDA<$E><$S>MAY<$E> now",
    [keys("Control+a", "Delete"), saved(""), keys("Control+z")],
    "<$S>IDA<$E><$S>MAY<$E> now",
  ],
  [
    "unmarking the middle",
    BEGUN,
    [
      select(4, 5),
      keys("Control+Shift+s"),
      saved("to <$S>I<$E>D<$S>A<$E> now"),
      press("Undo"),
      saved(BEGUN),
      press("Redo"),
    ],
    "to <$S>I<$E>D<$S>A<$E> now",
  ],
  [
    "dragging",
    BEGUN,
    [
      select(START, END),
      drag("D", "w"),
      saved("to  no<$S>IDA<$E>w"),
      keys("Control+z"),
      saved(BEGUN),
      keys("Control+Shift+z"),
    ],
    "to  no<$S>IDA<$E>w",
  ],
  [
    "composing",
    BEGUN,
    [
      select(START, END),
      compose(KA, "か"),
      saved("to <$S>か<$E> now"),
      keys("Control+z"),
      saved(BEGUN),
      keys("Control+y"),
    ],
    "to <$S>か<$E> now",
  ],
]);

story("marking, unmarking, undo and redo");
