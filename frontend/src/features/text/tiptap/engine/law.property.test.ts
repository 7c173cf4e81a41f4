/**
 * A person at the keyboard who does anything, anywhere, most of all at the edges of spans and lines; held against the
 * simplest model that there is: a row of code units, each of them classified or not.
 */
import { redoDepth, undoDepth } from "@tiptap/pm/history";
import type { Node } from "@tiptap/pm/model";
import fc from "fast-check";
import { expect, test } from "vitest";
import { print, type TextSpan } from "@/marked-text/markup";
import { mark, toggle, unmark } from "./commands";
import { load } from "./load";
import { dominantLineEnd, piecesBetween, runsOf } from "./runs";
import { partsOf } from "./schema/schema";
import { plainText, serialise } from "./serialise";
import { positionOf, Session, schema, spanOfEach, textOf } from "./session.fixture";

interface Unit {
  readonly unit: string;
  readonly classified: boolean;
}

/** So small that nearly every change has lines and chunks cut anew. */
const LIMITS = { chunkLines: 3, chunkLength: 30, lineLength: 8 };

const PARTS = ["a", "b c", "\n", "\r\n", "\r", "é", "e\u0301", "😀", "👩‍🚀", "<$S>", "<$E", "\u2028", "."];

const texts = fc.array(fc.constantFrom(...PARTS), { minLength: 1, maxLength: 4 }).map((parts) => parts.join(""));

/** Lines in chunks of any size, some lines in pieces: what editing a long document can lead to. */
const documents = fc
  .tuple(
    fc.array(fc.tuple(texts, fc.boolean()), { maxLength: 8 }),
    fc.array(fc.nat({ max: 3 }), { minLength: 40, maxLength: 40 }),
  )
  .map(([parts, cuts]) => {
    let text = "";
    const spans: TextSpan[] = [];
    for (const [part, classified] of parts) {
      if (classified) spans.push({ from: text.length, to: text.length + part.length });
      text += part;
    }
    return cutAnew(load(print({ text, spans }), schema), cuts);
  });

function cutAnew(doc: Node, cuts: readonly number[]): Node {
  let next = 0;
  const cut = () => cuts[next++ % cuts.length] === 0;
  const { line, chunk, doc: whole } = partsOf(schema);
  const lines: Node[] = [];
  doc.descendants((node) => {
    if (node.type !== line) return true;
    let from = 0;
    for (const { index } of new Intl.Segmenter().segment(node.textContent)) {
      if (index > 0 && cut()) {
        lines.push(line.create(from ? { before: "" } : node.attrs, node.content.cut(from, index)));
        from = index;
      }
    }
    lines.push(line.create(from ? { before: "" } : node.attrs, node.content.cut(from)));
    return false;
  });
  const chunks: Node[] = [];
  let from = 0;
  lines.forEach((_, index) => {
    if (index > from && cut()) {
      chunks.push(chunk.create(null, lines.slice(from, index)));
      from = index;
    }
  });
  chunks.push(chunk.create(null, lines.slice(from)));
  return whole.create(null, chunks);
}

type Action =
  | { readonly does: "type" | "paste" | "insert by others"; readonly text: string }
  | { readonly does: "select" | "drop" | "copy and drop"; readonly from: number; readonly to: number }
  | {
      readonly does:
        | "enter"
        | "backspace"
        | "delete"
        | "copy and paste"
        | "mark"
        | "unmark"
        | "toggle"
        | "undo"
        | "redo"
        | "replace by others with the same text"
        | "remove marks by others";
    };

const does = <T extends string>(...all: T[]) => fc.constantFrom(...all);
const place = fc.double({ min: 0, max: 1, noNaN: true });

const actions: fc.Arbitrary<Action> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ does: does("type", "paste", "insert by others"), text: texts }) },
  { weight: 6, arbitrary: fc.record({ does: fc.constant("select" as const), from: place, to: place }) },
  { weight: 1, arbitrary: fc.record({ does: does("drop", "copy and drop"), from: place, to: place }) },
  {
    weight: 8,
    arbitrary: fc.record({
      does: does(
        "enter",
        "backspace",
        "delete",
        "copy and paste",
        "mark",
        "unmark",
        "toggle",
        "undo",
        "redo",
        "replace by others with the same text",
        "remove marks by others",
      ),
    }),
  },
);

/** The bounds of characters, those at the edges of spans and lines several times, and every end of a piece of a line. */
function places(doc: Node): number[] {
  const found: number[] = [0];
  const text = textOf(doc);
  const spans = spanOfEach(doc);
  for (const { index, segment } of new Intl.Segmenter().segment(text)) {
    const end = index + segment.length;
    const isEdge = spans[end - 1] !== spans[end] || /[\r\n]/.test(segment + (text[end] ?? ""));
    for (let times = isEdge ? 4 : 1; times > 0; times--) found.push(end);
  }
  return found;
}

function modelOf(doc: Node): Unit[] {
  const spans = spanOfEach(doc);
  return [...Array(spans.length).keys()].map((at) => ({ unit: textOf(doc)[at] ?? "", classified: spans[at] !== null }));
}

const classifiedText = (units: readonly Unit[]) => units.map(({ classified }) => (classified ? "x" : "-")).join("");

/** The selection as offsets in the text. */
function offsetsOf({ state }: Session): { from: number; to: number } {
  const before = (pos: number) => textBefore(state.doc, pos).length;
  return { from: before(state.selection.from), to: before(state.selection.to) };
}

function textBefore(doc: Node, pos: number): string {
  return piecesBetween(doc, 0, pos)
    .map(({ text }) => text)
    .join("");
}

class Model {
  units: readonly Unit[];
  /** The cursor stands where all that was deleted was classified. */
  remembers = false;

  constructor(doc: Node) {
    this.units = modelOf(doc);
  }

  lawful(from: number, to: number): boolean {
    if (from > 0) {
      if (this.units[from - 1]?.classified) return true;
    }
    if (to > from) return this.units.slice(from, to).every(({ classified }) => classified);
    return this.remembers;
  }

  replace(from: number, to: number, units: readonly Unit[]): void {
    this.units = [...this.units.slice(0, from), ...units, ...this.units.slice(to)];
    this.remembers = false;
  }

  type(from: number, to: number, text: string): void {
    const classified = this.lawful(from, to);
    this.replace(from, to, unitsOf(text, classified));
  }

  remove(from: number, to: number): void {
    if (to === from) return;
    const remembers = this.units.slice(from, to).every(({ classified }) => classified);
    this.replace(from, to, []);
    this.remembers = remembers;
  }
}

function unitsOf(text: string, classified: boolean): Unit[] {
  return text.split("").map((unit) => ({ unit, classified }));
}

function at(places: readonly number[], part: number): number {
  return places[Math.min(places.length - 1, Math.floor(part * places.length))] ?? 0;
}

interface Moment {
  readonly runs: string;
  readonly units: readonly Unit[];
}

const spansOf = (doc: Node) => JSON.stringify(runsOf(doc).map(({ text, span }) => [text, span]));

class World {
  readonly session: Session;
  readonly model: Model;
  readonly #past: Moment[] = [];
  #future: Moment[] = [];

  constructor(doc: Node) {
    this.session = new Session(doc, LIMITS);
    this.model = new Model(doc);
  }

  #moment(): Moment {
    return { runs: spansOf(this.session.state.doc), units: this.model.units };
  }

  do(action: Action): void {
    const { session, model } = this;
    if (action.does === "undo" || action.does === "redo") {
      this.#travel(action.does);
      return;
    }
    const before = this.#moment();
    const depth = undoDepth(session.state);
    this.#change(action);
    if (undoDepth(session.state) === depth) return;
    this.#past.push(before);
    this.#future = [];
    expect(textOf(session.state.doc)).toBe(model.units.map(({ unit }) => unit).join(""));
  }

  #travel(direction: "undo" | "redo"): void {
    const { session, model } = this;
    const [from, to] = direction === "undo" ? [this.#past, this.#future] : [this.#future, this.#past];
    const moment = from.pop();
    if (moment) to.push(this.#moment());
    session[direction]();
    if (!moment) return;
    model.remembers = false;
    expect(spansOf(session.state.doc)).toBe(moment.runs);
    model.units = moment.units;
  }

  #change(action: Exclude<Action, { does: "undo" | "redo" }>): void {
    const { session, model } = this;
    const { from, to } = offsetsOf(session);
    const { doc, tr } = session.state;
    switch (action.does) {
      case "select": {
        const one = at(places(doc), action.from);
        const other = action.to < 0.5 ? one : at(places(doc), action.to);
        session.select(Math.min(one, other), Math.max(one, other));
        model.remembers = false;
        return;
      }
      case "type":
        session.input(action.text);
        model.type(from, to, action.text);
        return;
      case "enter":
        session.enter();
        model.type(from, to, dominantLineEnd(doc));
        return;
      case "paste":
        session.paste(action.text);
        model.type(from, to, action.text.replace(/\r\n|\r|\n/g, dominantLineEnd(doc)));
        return;
      case "copy and paste": {
        const copied = session.copy();
        session.select(to).paste(copied);
        model.remembers = false;
        this.#take(to, copied, dominantLineEnd(doc));
        return;
      }
      case "drop":
      case "copy and drop": {
        const pos = at(places(doc), action.from);
        const moved = action.does === "drop";
        const texts = session.copy();
        if (from === to || (moved && pos >= from && pos <= to)) return;
        session.drop(pos, moved);
        if (moved) model.remove(from, to);
        model.remembers = false;
        this.#take(
          moved && pos > to ? pos - (to - from) : pos,
          texts,
          dominantLineEnd(withoutRange(doc, moved, from, to)),
        );
        return;
      }
      case "backspace":
      case "delete": {
        session[action.does]();
        const units = textOf(doc).length - textOf(session.state.doc).length;
        if (from < to) model.remove(from, to);
        else if (action.does === "backspace") model.remove(from - units, from);
        else model.remove(from, from + units);
        return;
      }
      case "mark":
      case "toggle":
      case "unmark":
        session.run({ mark, toggle, unmark }[action.does]);
        if (session.state.doc === doc) return;
        this.#takeClassification(from, to);
        return;
      case "insert by others": {
        const text = action.text;
        session.apply(tr.insertText(text, session.state.selection.from, session.state.selection.to));
        model.type(from, to, text);
        this.#neverLess();
        return;
      }
      case "replace by others with the same text": {
        const { selection } = session.state;
        if (selection.empty || !selection.$from.sameParent(selection.$to)) return;
        session.apply(tr.replaceWith(selection.from, selection.to, schema.text(textOf(doc).slice(from, to))));
        model.remembers = false;
        return;
      }
      case "remove marks by others":
        if (session.state.selection.empty) return;
        session.apply(tr.removeMark(session.state.selection.from, session.state.selection.to));
        model.remembers = false;
        return;
    }
  }

  /** Copied text comes in. */
  #take(pos: number, texts: readonly { text: string; classified: boolean }[], lineEnd: string): void {
    const inSpan = this.model.lawful(pos, pos);
    const units = texts.flatMap(({ text, classified }) =>
      unitsOf(text.replace(/\r\n|\r|\n/g, lineEnd), classified || inSpan),
    );
    if (units.length) this.model.replace(pos, pos, units);
  }

  /** What is marked and unmarked is `commands.test.ts`'s; here, that nothing far from the selection changes. */
  #takeClassification(from: number, to: number): void {
    const after = modelOf(this.session.state.doc);
    const far = 40;
    if (to > from) {
      expect(classifiedText(after).slice(0, Math.max(0, from - far))).toBe(
        classifiedText(this.model.units).slice(0, Math.max(0, from - far)),
      );
    }
    this.model.units = after;
    this.model.remembers = false;
  }

  /** ProseMirror may have taken the marks from the text after; that is more than the law wants, never less. */
  #neverLess(): void {
    const after = modelOf(this.session.state.doc);
    this.model.units.forEach(({ classified }, index) => {
      if (classified) expect(after[index]?.classified).toBe(true);
    });
    this.model.units = after;
  }

  check(): void {
    const { doc } = this.session.state;
    const units = modelOf(doc);
    expect(units.map(({ unit }) => unit).join("")).toBe(this.model.units.map(({ unit }) => unit).join(""));
    expect(classifiedText(units)).toBe(classifiedText(this.model.units));
    expect(plainText(doc)).toBe(
      this.model.units
        .filter(({ classified }) => !classified)
        .map(({ unit }) => unit)
        .join(""),
    );
    const ids = runsOf(doc).flatMap(({ span }) => (span === null ? [] : [span]));
    expect(new Set(ids).size).toBe(ids.length);
    const marked = serialise(doc);
    expect(serialise(load(marked, schema))).toBe(marked);
  }
}

function withoutRange(doc: Node, moved: boolean, from: number, to: number): Node {
  return moved ? new Session(doc).select(from, to).backspace().state.doc : doc;
}

test("whatever is done, the law is kept", () => {
  fc.assert(
    fc.property(documents, fc.array(actions, { minLength: 1, maxLength: 25 }), (doc, actions) => {
      const world = new World(doc);
      world.check();
      for (const action of actions) {
        world.do(action);
        world.check();
      }
    }),
    { numRuns: 1500 },
  );
});

test("undoing everything is where one began, and redoing it where one was", () => {
  fc.assert(
    fc.property(documents, fc.array(actions, { minLength: 1, maxLength: 20 }), (doc, actions) => {
      const world = new World(doc);
      for (const action of actions) world.do(action);
      const end = spansOf(world.session.state.doc);
      while (undoDepth(world.session.state) > 0) world.session.undo();
      if (actions.every(({ does }) => does !== "undo" && does !== "redo")) {
        expect(spansOf(world.session.state.doc)).toBe(spansOf(doc));
        while (redoDepth(world.session.state) > 0) world.session.redo();
        expect(spansOf(world.session.state.doc)).toBe(end);
      }
    }),
    { numRuns: 1500 },
  );
});

test("offsets and positions fit each other", () => {
  fc.assert(
    fc.property(documents, (doc) => {
      for (let offset = 0; offset <= textOf(doc).length; offset++) {
        const pos = positionOf(doc, offset);
        expect(doc.resolve(pos).parent.type.name).toBe("line");
      }
    }),
  );
});
