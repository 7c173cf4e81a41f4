/** The page that `run.mjs` drives: opens an editor with a document of a given shape, and times frames. */

import { Editor } from "@tiptap/core";
import { extensions } from "../src/editor/extensions";
import { spans } from "../src/editor/queries";
import { counts, serialise } from "../src/editor/serialise";

const BYTES = 1_000_000;
const WORDS = "the convoy leaves the northern pier at dawn with two cutters and a tug under the call sign of ".split(
  " ",
);

const SHAPES = { paragraphs: 500, lines: 80, "one line": Number.POSITIVE_INFINITY } as const;

type Shape = keyof typeof SHAPES;

/** About a megabyte; one word in twenty is classified. */
function textOf(shape: Shape): string {
  const pieces: string[] = [];
  let size = 0;
  let line = 0;
  for (let index = 0; size < BYTES; index++) {
    const word = `${WORDS[index % WORDS.length]}${index % 7 === 0 ? index : ""}`;
    pieces.push(index % 20 === 0 ? `<$S>${word}<$E>` : word);
    line += word.length + 1;
    size += word.length + 1;
    if (line >= SHAPES[shape]) {
      pieces.push("\n");
      line = 0;
    } else pieces.push(" ");
  }
  return pieces.join("");
}

/** When the frame is on the screen that shows what was just done. */
function frame(): Promise<number> {
  return new Promise((resolve) => {
    requestAnimationFrame(() => {
      const channel = new MessageChannel();
      channel.port1.onmessage = () => resolve(performance.now());
      channel.port2.postMessage(null);
    });
  });
}

let editor: Editor | undefined;
let marked = "";

const bench = {
  /** Milliseconds from the marked text to the first frame. */
  async open(shape: Shape): Promise<number> {
    editor?.destroy();
    marked = textOf(shape);
    const element = document.querySelector("#page");
    await frame();
    const started = performance.now();
    editor = new Editor({ element, extensions: extensions(marked), injectCSS: false });
    const shown = (await frame()) - started;
    editor.view.dom.addEventListener("keydown", bench.keyDown, { capture: true });
    return shown;
  },

  /** Puts the cursor in the middle of the document and waits until it is quiet there. */
  async goToMiddle(): Promise<void> {
    if (!editor) return;
    const middle = Math.floor(editor.state.doc.content.size / 2);
    editor.chain().focus().setTextSelection(middle).scrollIntoView().run();
    for (let times = 0; times < 20; times++) await frame();
  },

  keys: [] as Promise<number>[],

  keyDown(event: Event): void {
    const pressed = event.timeStamp;
    bench.keys.push(frame().then((shown) => shown - pressed));
  },

  /** Milliseconds of each key since the last time. */
  async times(): Promise<number[]> {
    return Promise.all(bench.keys.splice(0));
  },

  /** Milliseconds of what the page around an editor asks after each key, and of saving. */
  queries(): Record<string, number> {
    if (!editor) return {};
    const { doc } = editor.state;
    const time = (ask: () => unknown) => {
      const started = performance.now();
      ask();
      return performance.now() - started;
    };
    return { counts: time(() => counts(doc)), spans: time(() => spans(doc)), serialise: time(() => serialise(doc)) };
  },

  /** Milliseconds to the frame after everything was selected, marked, and that was undone. */
  async markAll(): Promise<{ select: number; mark: number; undo: number; unchanged: boolean }> {
    const before = editor && serialise(editor.state.doc);
    await frame();
    const began = performance.now();
    editor?.commands.selectAll();
    const started = await frame();
    editor?.commands.markClassified();
    const marked = await frame();
    editor?.commands.undo();
    const undone = await frame();
    return {
      select: started - began,
      mark: marked - started,
      undo: undone - marked,
      unchanged: editor !== undefined && serialise(editor.state.doc) === before,
    };
  },
};

declare global {
  interface Window {
    bench: typeof bench;
  }
}

window.bench = bench;
