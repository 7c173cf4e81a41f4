import type { Node } from "@tiptap/pm/model";
import fc from "fast-check";
import { expect, test } from "vitest";
import { CHUNK_LINES, LINE_LENGTH } from "./build";
import { mark } from "./commands";
import { load } from "./load";
import { runsOf } from "./runs";
import { partsOf } from "./schema/schema";
import { Session, schema, textOf } from "./session.fixture";

const MOST_LINES = 200;
const runs = (doc: Node) => JSON.stringify(runsOf(doc).map(({ text, span }) => [text, span]));

function linesOf(doc: Node): Node[] {
  return doc.children.flatMap((chunk) => chunk.children);
}

function inOneChunk(marked: string): Node {
  const { chunk, doc } = partsOf(schema);
  return doc.create(null, chunk.create(null, linesOf(load(marked, schema))));
}

const longestChunk = (doc: Node) => Math.max(...doc.children.map((chunk) => chunk.childCount));

test("a chunk of too many lines is cut, and small ones are joined", () => {
  const marked = "ab <$S>cd\nef<$E>\n".repeat(300);
  const session = new Session(inOneChunk(marked)).select(0).type("x");
  expect(session.marked).toBe(`x${marked}`);
  expect(longestChunk(session.state.doc)).toBeLessThanOrEqual(CHUNK_LINES);
  expect(session.undo().marked).toBe(marked);

  const { chunk, doc } = partsOf(schema);
  const small = linesOf(session.state.doc).map((line) => chunk.create(null, line));
  const many = new Session(doc.create(null, small)).select(0);
  for (let round = 0; round < 10; round++) many.type("x");
  expect(many.marked).toBe("x".repeat(10) + marked);
  expect(many.state.doc.childCount).toBeLessThan(small.length / 5);
});

test("a line that has grown too long is held in pieces, and one again when it has shrunk", () => {
  const session = new Session("a<$S>b<$E>c").select(2);
  for (let times = 0; times < 50; times++) session.input("some more words ".repeat(100));
  const lengths = linesOf(session.state.doc).map((line) => line.content.size);
  expect(Math.max(...lengths)).toBeLessThanOrEqual(1.25 * LINE_LENGTH);
  const long = session.marked;
  expect(long.length).toBe(80_011);
  session.select(10, 79_990).backspace();
  expect(linesOf(session.state.doc)).toHaveLength(1);
  expect(session.undo().marked === long).toBe(true);
  for (let times = 0; times < 50; times++) session.undo();
  expect(session.marked).toBe("a<$S>b<$E>c");
  for (let times = 0; times < 50; times++) session.redo();
  expect(session.marked === long).toBe(true);
});

test("what was deleted at one place comes back in its order", () => {
  const session = new Session(inOneChunk(`${"line\n".repeat(MOST_LINES)}abcd`)).select(5 * MOST_LINES);
  session.delete().delete().select(0).paste("line\n".repeat(40)).undo().undo().undo();
  expect(session.marked.endsWith("\nabcd")).toBe(true);
});

test("however lines and chunks are cut in between, undo and redo restore text and spans", () => {
  const place = fc.double({ min: 0, max: 1, noNaN: true });
  const action = fc.record({
    does: fc.constantFrom("backspace", "paste", "long", "mark", "enter", "rebalance"),
    from: place,
    to: place,
  });
  const start = inOneChunk("line <$S>one\nline<$E> two\r\n".repeat(MOST_LINES));
  fc.assert(
    fc.property(fc.array(action, { minLength: 3, maxLength: 10 }), (actions) => {
      const session = new Session(start);
      const past = [runs(start)];
      for (const { does, from, to } of actions) {
        const { length } = textOf(session.state.doc);
        const [one = 0, other = 0] = [from, to].map((part) => Math.floor(part * length)).sort((a, b) => a - b);
        const before = session.state.doc;
        session.select(one, Math.min(other, one + 3000));
        if (does === "backspace") session.backspace();
        if (does === "paste") session.paste("many\nlines\n".repeat(150));
        if (does === "long") session.paste("x".repeat(2 * LINE_LENGTH));
        if (does === "mark") session.run(mark);
        if (does === "enter") session.enter();
        if (session.state.doc !== before) past.push(runs(session.state.doc));
      }
      const rounds = past.length - 1;
      for (let index = rounds - 1; index >= 0; index--) {
        session.undo();
        expect(runs(session.state.doc) === past[index]).toBe(true);
      }
      for (let index = 1; index <= rounds; index++) {
        session.redo();
        expect(runs(session.state.doc) === past[index]).toBe(true);
      }
    }),
    { numRuns: 60 },
  );
});
