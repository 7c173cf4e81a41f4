/**
 * An author at the keyboard who does anything, anywhere, most of all at the edges of spans and lines, in both text
 * engines. Each is compared with the simplest model of the rules: a row of code units, each in a span or in none.
 */
import type { Node } from "@tiptap/pm/model";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse, print, type Segment, type TextSpan } from "@/marked-text/markup";
import { LongSession } from "./long/engine/session.fixture";
import { toggle } from "./tiptap/engine/commands";
import { load } from "./tiptap/engine/load";
import { runsOf } from "./tiptap/engine/runs";
import { partsOf } from "./tiptap/engine/schema/schema";
import { plainText, serialise } from "./tiptap/engine/serialise";
import { positionOf, Session, schema, textOf } from "./tiptap/engine/session.fixture";
import type { TypingSession } from "./typing-session.fixture";

interface Document {
  readonly text: string;
  readonly spans: readonly TextSpan[];
}

const PARTS = ["a", "b c", "\n", "\r\n", "\r", "é", "e\u0301", "😀", "👩‍🚀", "<$S>", "<$E", "\u2028", "."];

const texts = fc.array(fc.constantFrom(...PARTS), { minLength: 1, maxLength: 4 }).map((parts) => parts.join(""));
const linePieces = fc
  .array(fc.constantFrom(...PARTS.filter((part) => !/[\r\n]/.test(part))), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join(""));

const documents = fc.array(fc.tuple(texts, fc.boolean()), { maxLength: 8 }).map((parts): Document => {
  let text = "";
  const spans: TextSpan[] = [];
  for (const [part, classified] of parts) {
    if (classified) spans.push({ from: text.length, to: text.length + part.length });
    text += part;
  }
  return { text, spans };
});

type Action =
  | { readonly does: "type" | "paste" | "insert by others"; readonly text: string }
  | {
      readonly does: "click" | "move" | "select" | "drop" | "copy and drop";
      readonly from: number;
      readonly to: number;
    }
  | {
      readonly does:
        | "enter"
        | "backspace"
        | "delete"
        | "copy and paste"
        | "mark"
        | "unmark"
        | "undo"
        | "redo"
        | "toggle"
        | "replace by others with the same text"
        | "remove marks by others";
    };

const does = <T extends string>(...all: T[]) => fc.constantFrom(...all);
const place = fc.double({ min: 0, max: 1, noNaN: true });

const COMMON: fc.WeightedArbitrary<Action>[] = [
  { weight: 3, arbitrary: fc.record({ does: does("type"), text: linePieces }) },
  { weight: 1, arbitrary: fc.record({ does: does("paste"), text: texts }) },
  { weight: 7, arbitrary: fc.record({ does: does("click", "move", "move", "select"), from: place, to: place }) },
  { weight: 3, arbitrary: fc.record({ does: does("backspace", "delete") }) },
  { weight: 5, arbitrary: fc.record({ does: does("enter", "copy and paste", "mark", "unmark", "undo", "redo") }) },
];

/** What only the engine of shorter texts has: dragging, and changes by the browser or another extension. */
const TIPTAP_ONLY: fc.WeightedArbitrary<Action>[] = [
  { weight: 1, arbitrary: fc.record({ does: does("insert by others"), text: texts }) },
  { weight: 1, arbitrary: fc.record({ does: does("drop", "copy and drop"), from: place, to: place }) },
  {
    weight: 2,
    arbitrary: fc.record({
      does: does("toggle", "replace by others with the same text", "remove marks by others"),
    }),
  },
];

interface Unit {
  readonly unit: string;
  /** The number of its span; null: it is plain. */
  readonly span: number | null;
}

const textOfUnits = (units: readonly Unit[]) => units.map(({ unit }) => unit).join("");

function unitsOf(text: string, span: number | null): Unit[] {
  return text.split("").map((unit) => ({ unit, span }));
}

class Model {
  units: readonly Unit[] = [];
  /** The span that the cursor remembers. */
  remembered: number | null = null;
  #spans = 0;

  constructor(marked: string) {
    this.take(marked);
  }

  take(marked: string): void {
    const { text, spans } = parse(marked);
    const units = unitsOf(text, null);
    for (const { from, to } of spans) units.splice(from, to - from, ...unitsOf(text.slice(from, to), this.fresh()));
    this.units = units;
    this.remembered = null;
  }

  fresh(): number {
    return this.#spans++;
  }

  get marked(): string {
    const spans: { from: number; to: number; span: number }[] = [];
    this.units.forEach(({ span }, at) => {
      const last = spans.at(-1);
      if (last?.span === span && last.to === at) last.to++;
      else if (span !== null) spans.push({ from: at, to: at + 1, span });
    });
    return print({ text: textOfUnits(this.units), spans });
  }

  spanFor(from: number, to: number): number | null {
    const before = this.units[from - 1]?.span ?? null;
    if (before !== null) return before;
    return to > from ? this.#firstIfAllClassified(from, to) : this.remembered;
  }

  replace(from: number, to: number, units: readonly Unit[]): void {
    this.units = [...this.units.slice(0, from), ...units, ...this.units.slice(to)];
    this.remembered = null;
  }

  type(from: number, to: number, text: string): void {
    this.replace(from, to, unitsOf(text, this.spanFor(from, to)));
  }

  paste(from: number, to: number, texts: readonly Segment[], lineEnd: string): void {
    const span = this.spanFor(from, to);
    const units = texts.flatMap(({ text, classified }) =>
      unitsOf(text.replace(/\r\n|\r|\n/g, lineEnd), span ?? (classified ? this.fresh() : null)),
    );
    if (units.length || to > from) this.replace(from, to, units);
  }

  remove(from: number, to: number): void {
    if (to === from) return;
    const deleted = this.#firstIfAllClassified(from, to);
    this.replace(from, to, []);
    this.#remember(from, deleted);
  }

  /** By keys, from where a selection ended. */
  move(end: number, cursor: number): void {
    this.#remember(cursor, end > cursor ? this.#firstIfAllClassified(cursor, end) : null);
  }

  #remember(cursor: number, span: number | null): void {
    this.remembered = (this.units[cursor - 1]?.span ?? null) === null ? span : null;
  }

  #firstIfAllClassified(from: number, to: number): number | null {
    const units = this.units.slice(from, to);
    return units.every(({ span }) => span !== null) ? (units[0]?.span ?? null) : null;
  }
}

interface Moment {
  readonly marked: string;
  readonly units: readonly Unit[];
}

/** An author's session and the model of it. */
class World<S extends TypingSession = TypingSession> {
  readonly session: S;
  readonly model: Model;
  #past: Moment[] = [];
  #future: Moment[] = [];

  constructor(session: S) {
    this.session = session;
    this.model = new Model(session.marked);
  }

  do(action: Action): void {
    if (action.does === "undo" || action.does === "redo") {
      this.#travel(action.does);
      return;
    }
    const before: Moment = { marked: this.session.marked, units: this.model.units };
    const { undo } = this.session.steps;
    this.change(action);
    if (this.session.steps.undo === undo) return;
    this.#past.push(before);
    this.#future = [];
  }

  #travel(direction: "undo" | "redo"): void {
    const [from, to] = direction === "undo" ? [this.#past, this.#future] : [this.#future, this.#past];
    const moment = from.pop();
    if (moment) to.push({ marked: this.session.marked, units: this.model.units });
    this.session[direction]();
    if (!moment) return;
    expect(this.session.marked).toBe(moment.marked);
    this.model.units = moment.units;
    this.model.remembered = null;
  }

  protected change(action: Exclude<Action, { does: "undo" | "redo" }>): void {
    const { session, model } = this;
    const { lineEnd } = session;
    const { from, to } = session.selection;
    switch (action.does) {
      case "click":
        session.select(this.place(action.from));
        model.remembered = null;
        return;
      case "move": {
        const cursor = this.place(action.from);
        // That is no move.
        if (from === to && from === cursor) return;
        session.moveTo(cursor);
        model.move(to, cursor);
        return;
      }
      case "select": {
        const [one, other] = [this.place(action.from), this.place(action.to)];
        session.select(Math.min(one, other), Math.max(one, other));
        model.remembered = null;
        return;
      }
      case "type":
        session.input(action.text);
        model.type(from, to, action.text);
        return;
      case "enter":
        session.enter();
        model.type(from, to, lineEnd);
        return;
      case "paste":
        session.paste(action.text);
        model.paste(from, to, [{ text: action.text, classified: false }], lineEnd);
        return;
      case "copy and paste": {
        const copied = session.copy();
        session.select(to).paste(copied);
        model.remembered = null;
        model.paste(to, to, copied, lineEnd);
        return;
      }
      case "backspace":
      case "delete":
        this.#delete(action.does);
        return;
      case "mark":
      case "unmark":
        if (from === to) return;
        session[action.does]();
        this.takeClassification();
        return;
    }
  }

  #delete(does: "backspace" | "delete"): void {
    const { session, model } = this;
    const { from, to } = session.selection;
    const { length } = session.text;
    session[does]();
    const units = length - session.text.length;
    if (from < to) model.remove(from, to);
    else if (does === "backspace") model.remove(from - units, from);
    else model.remove(from, from + units);
    // Where a CR and an LF have become one line end, the cursor goes before it.
    if (units > 0 && /\r\n/.test(session.text.slice(Math.max(0, from - units - 1), from + 1))) this.#forgetElsewhere();
  }

  #forgetElsewhere(): void {
    if (!this.session.typesClassified) this.model.remembered = null;
  }

  /** What marking covers is tested elsewhere; here, that it changes no text and nothing far from the selection. */
  protected takeClassification(): void {
    const { model, session } = this;
    const { from } = session.selection;
    const far = Math.max(0, from - 40);
    const classified = () => model.units.slice(0, far).map(({ span }) => span !== null);
    const before = classified();
    model.take(session.marked);
    if (session.selection.to > from) expect(classified()).toEqual(before);
  }

  /** A place between characters: edges of spans and line ends are more frequent. */
  protected place(part: number): number {
    const { units } = this.model;
    const found: number[] = [0];
    const text = textOfUnits(units);
    for (const { index, segment } of new Intl.Segmenter().segment(text)) {
      const end = index + segment.length;
      const isEdge = units[end - 1]?.span !== units[end]?.span || /[\r\n]/.test(segment + (text[end] ?? ""));
      for (let times = isEdge ? 8 : 1; times > 0; times--) found.push(end);
    }
    return found[Math.min(found.length - 1, Math.floor(part * found.length))] ?? 0;
  }

  check(): void {
    const { session, model } = this;
    expect(session.text).toBe(textOfUnits(model.units));
    expect(session.marked).toBe(model.marked);
    const { from, to } = session.selection;
    expect(session.typesClassified).toBe(model.spanFor(from, to) !== null);
  }
}

class TiptapWorld extends World<Session> {
  protected override change(action: Exclude<Action, { does: "undo" | "redo" }>): void {
    const { session, model } = this;
    const { state } = session;
    const { from, to } = session.selection;
    switch (action.does) {
      case "drop":
      case "copy and drop": {
        const pos = this.place(action.from);
        const moved = action.does === "drop";
        const texts = session.copy();
        if (from === to || (moved && pos >= from && pos <= to)) return;
        session.drop(pos, moved);
        const lineEnd = (moved ? new Session(state.doc).select(from, to).backspace() : new Session(state.doc)).lineEnd;
        if (moved) model.remove(from, to);
        model.remembered = null;
        const at = moved && pos > to ? pos - (to - from) : pos;
        model.paste(at, at, texts, lineEnd);
        return;
      }
      case "toggle":
        session.run(toggle);
        if (session.state.doc !== state.doc) this.takeClassification();
        return;
      case "insert by others":
        session.apply(state.tr.insertText(action.text, state.selection.from, state.selection.to));
        model.type(from, to, action.text);
        this.#takeMoreClassified();
        return;
      case "replace by others with the same text": {
        const { selection } = state;
        if (selection.empty || !selection.$from.sameParent(selection.$to)) return;
        const same = schema.text(textOf(state.doc).slice(from, to));
        session.apply(state.tr.replaceWith(selection.from, selection.to, same));
        model.remembered = null;
        return;
      }
      case "remove marks by others":
        if (state.selection.empty) return;
        session.apply(state.tr.removeMark(state.selection.from, state.selection.to));
        model.remembered = null;
        return;
      default:
        super.change(action);
    }
  }

  /** ProseMirror may have taken the marks from the text after; that is more than the rules want, never less. */
  #takeMoreClassified(): void {
    const { units } = this.model;
    this.model.take(this.session.marked);
    units.forEach(({ span }, index) => {
      if (span !== null) expect(this.model.units[index]?.span).not.toBe(null);
    });
  }

  override check(): void {
    super.check();
    const { doc } = this.session.state;
    expect(plainText(doc)).toBe(textOfUnits(this.model.units.filter(({ span }) => span === null)));
    const ids = runsOf(doc).flatMap(({ span }) => (span === null ? [] : [span]));
    expect(new Set(ids).size).toBe(ids.length);
    const marked = serialise(doc);
    expect(serialise(load(marked, schema))).toBe(marked);
  }
}

/** So small that nearly every change cuts lines and chunks again. */
const LIMITS = { chunkLines: 3, chunkLength: 30, lineLength: 8 };

/** The document with lines in chunks of any size, some lines in pieces: what editing a long document can lead to. */
function cutAgain(doc: Node, cuts: readonly number[]): Node {
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

const cuts = fc.array(fc.nat({ max: 3 }), { minLength: 40, maxLength: 40 });

const ENGINES: [string, fc.WeightedArbitrary<Action>[], (document: Document, cuts: readonly number[]) => World][] = [
  [
    "the engine of shorter texts",
    [...COMMON, ...TIPTAP_ONLY],
    (document, at) => new TiptapWorld(new Session(cutAgain(load(print(document), schema), at), LIMITS)),
  ],
  ["the engine of long texts", COMMON, (document) => new World(new LongSession(print(document)))],
];

describe.each(ENGINES)("in %s", (_, weighted, open) => {
  const actions = fc.array(fc.oneof(...weighted), { minLength: 1, maxLength: 25 });

  test("every sequence of actions keeps the rules", () => {
    fc.assert(
      fc.property(documents, cuts, actions, (document, at, all) => {
        const world = open(document, at);
        world.check();
        for (const action of all) {
          world.do(action);
          world.check();
        }
      }),
      { numRuns: 1500 },
    );
  });

  test("undoing everything leads back to the first text, and redoing it to the last", () => {
    fc.assert(
      fc.property(documents, cuts, actions, (document, at, all) => {
        const world = open(document, at);
        const { session } = world;
        const first = session.marked;
        for (const action of all) world.do(action);
        const last = session.marked;
        while (session.steps.undo > 0) session.undo();
        if (all.some(({ does }) => does === "undo" || does === "redo")) return;
        expect(session.marked).toBe(first);
        while (session.steps.redo > 0) session.redo();
        expect(session.marked).toBe(last);
      }),
      { numRuns: 1500 },
    );
  });
});

test("offsets and positions fit each other", () => {
  fc.assert(
    fc.property(documents, cuts, (document, at) => {
      const doc = cutAgain(load(print(document), schema), at);
      for (let offset = 0; offset <= textOf(doc).length; offset++) {
        expect(doc.resolve(positionOf(doc, offset)).parent.type.name).toBe("line");
      }
    }),
  );
});
