/** The edges of a span move as they do in the editor of short texts: the same documents, the same keys, the same marks. */
import { history, undo } from "@codemirror/commands";
import { EditorSelection, type EditorState, type TransactionSpec } from "@codemirror/state";
import fc from "fast-check";
import { expect, test } from "vitest";
import { fitSpan, growSpan, moveEdge as moveShortEdge, shrinkSpan } from "@/features/text/tiptap/engine/edges";
import { spans } from "@/features/text/tiptap/engine/queries";
import { positionOf, Session } from "@/features/text/tiptap/engine/session.fixture";
import type { Edge, Unit } from "@/marked-text/edge-steps";
import { parse } from "@/marked-text/markup";
import { edgeMoved, edgeMovedTo, fitToSelection, grow, moveEdge, shrink } from "./edges";
import { snapshotOf } from "./snapshot";
import { ranges, spansField, stateOf } from "./spans";

function at(marked: string, anchor: number, head = anchor): EditorState {
  const state = stateOf(parse(marked), []);
  return state.update({ selection: EditorSelection.single(anchor, head) }).state;
}

function after(state: EditorState, move: (state: EditorState, unit: Unit) => TransactionSpec | null, unit: Unit) {
  const spec = move(state, unit);
  return spec ? state.update(spec).state : state;
}

test("the edge that is nearer to the cursor moves, and the cursor with it", () => {
  let state = at("The pilot <$S>Ida<$E> Berg, of Alpha.", 12);
  for (const [move, unit, marked] of [
    [grow, "word", "The pilot <$S>Ida Berg<$E>, of Alpha."],
    [grow, "character", "The pilot <$S>Ida Berg,<$E> of Alpha."],
    [shrink, "character", "The pilot <$S>Ida Berg<$E>, of Alpha."],
    [shrink, "word", "The pilot <$S>Ida<$E> Berg, of Alpha."],
    [shrink, "word", "The pilot <$S>Ida<$E> Berg, of Alpha."],
  ] as const) {
    state = after(state, move, unit);
    expect(snapshotOf(state).marked()).toBe(marked);
  }
  expect(state.selection.main.head).toBe(13);
});

test("a span that is reached becomes one with it, and nothing moves where there is no span or no more text", () => {
  const reached = after(at("<$S>a<$E> <$S>b c<$E>", 1), grow, "word");
  expect([snapshotOf(reached).marked(), reached.selection.main.head]).toEqual(["<$S>a b c<$E>", 5]);
  expect(grow(at("plain <$S>all<$E>", 2), "word")).toBeNull();
  expect(grow(at("<$S>all<$E>", 3), "word")).toBeNull();
});

test("a span is made to fit the selection, which stays, in one step", () => {
  const fitted = (marked: string, anchor: number, head: number) => {
    const state = stateOf(parse(marked), [history()]);
    const selected = state.update({ selection: EditorSelection.single(anchor, head) }).state;
    const spec = fitToSelection(selected);
    if (!spec) return null;
    const tr = selected.update(spec);
    expect([tr.state.selection.main.anchor, tr.state.selection.main.head]).toEqual([anchor, head]);
    expect([...ranges(tr.state.field(spansField))]).toContainEqual(tr.annotation(edgeMoved));
    undo({ state: tr.state, dispatch: (back) => expect(snapshotOf(back.state).marked()).toBe(marked) });
    return snapshotOf(tr.state).marked();
  };
  expect(fitted("a <$S>b c d<$E> e", 4, 5)).toBe("a b <$S>c<$E> d e");
  expect(fitted("a <$S>b c d<$E> e", 9, 6)).toBe("a b c <$S>d e<$E>");
  expect(fitted("a <$S>b c d<$E> e", 0, 9)).toBe("<$S>a b c d e<$E>");
  // What it touches then stays a span of its own.
  expect(fitted("a <$S>b<$E> <$S>c<$E>", 0, 4)).toBe("<$S>a b <$E><$S>c<$E>");
  expect(fitted("a <$S>b<$E> <$S>c<$E>", 0, 5)).toBe(null);
  expect(fitted("a <$S>b<$E> <$S>c<$E>", 2, 3)).toBe(null);
  expect(fitted("a <$S>b<$E> <$S>c<$E>", 0, 1)).toBe(null);
  expect(fitted("a <$S>b<$E> <$S>c<$E>", 2, 2)).toBe(null);
});

const pieces = fc.array(fc.constantFrom("a", "Ida ", " ", "b-c", ", ", "é", "e\u0301", "👩‍🚀"), {
  minLength: 1,
  maxLength: 12,
});

test("as in the editor of short texts", () => {
  fc.assert(
    fc.property(
      pieces,
      fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }),
      fc.nat(40),
      fc.nat(40),
      fc.constantFrom<Unit>("word", "character"),
      fc.boolean(),
      (words, classified, where, other, unit, outwards) => {
        // What touches is one span, so that the marked text says all.
        const marked = words
          .map((word, n) => (classified[n] ? `<$S>${word}<$E>` : word))
          .join("")
          .replaceAll("<$E><$S>", "");
        const { text } = parse(marked);
        const pos = where % (text.length + 1);
        const short = new Session(marked).select(pos).run(outwards ? growSpan(unit) : shrinkSpan(unit)).marked;
        expect(snapshotOf(after(at(marked, pos), outwards ? grow : shrink, unit)).marked()).toBe(short);
        const to = other % (text.length + 1);
        const fitted = new Session(marked).select(pos, to).run(fitSpan).marked;
        expect(snapshotOf(after(at(marked, pos, to), fitToSelection, unit)).marked()).toBe(fitted);
      },
    ),
    { numRuns: 200 },
  );
});

/** Drags an edge of the span with this number. */
function drag(state: EditorState, index: number, edge: Edge, position: number): EditorState {
  const span = [...ranges(state.field(spansField))][index];
  const spec = span && moveEdge(state, span, edge, position);
  if (!spec) return state;
  const tr = state.update(spec);
  expect(tr.annotation(edgeMoved)).toEqual(edgeMovedTo(state, span, edge, position));
  return tr.state;
}

test("an edge is dragged to a place, and the cursor with it; it stops at the spans beside it, and something is left", () => {
  const state = at("<$S>a<$E> bc <$S>de<$E> fg <$S>h<$E>", 6);
  const marked = (edge: Edge, position: number) => {
    const after = drag(state, 1, edge, position);
    return [snapshotOf(after).marked(), after.selection.main.head];
  };
  expect(marked("end", 8)).toEqual(["<$S>a<$E> bc <$S>de <$E>fg <$S>h<$E>", 8]);
  expect(marked("start", 0)).toEqual(["<$S>a<$E><$S> bc de<$E> fg <$S>h<$E>", 1]);
  expect(marked("end", 11)).toEqual(["<$S>a<$E> bc <$S>de fg <$E><$S>h<$E>", 11]);
  expect(marked("start", 11)).toEqual(["<$S>a<$E> bc d<$S>e<$E> fg <$S>h<$E>", 6]);
  expect(marked("end", 0)).toEqual(["<$S>a<$E> bc <$S>d<$E>e fg <$S>h<$E>", 6]);
  expect(marked("end", 7)).toEqual([snapshotOf(state).marked(), 6]);
  const lines = at("<$S>a\r\nb<$E>", 1);
  expect(snapshotOf(drag(lines, 0, "start", 3)).marked()).toBe("a\r\n<$S>b<$E>");
  expect(snapshotOf(drag(lines, 0, "end", 2)).marked()).toBe("<$S>a<$E>\r\nb");
});

test("it is dragged as in the editor of short texts", () => {
  fc.assert(
    fc.property(
      pieces,
      fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }),
      fc.nat(12),
      fc.constantFrom<Edge>("start", "end"),
      fc.nat(40),
      (words, classified, which, edge, where) => {
        const marked = words.map((word, n) => (classified[n] ? `<$S>${word}<$E>` : word)).join("");
        const { text, spans: all } = parse(marked);
        const index = which % (all.length || 1);
        const pos = where % (text.length + 1);
        const short = new Session(marked);
        const { doc } = short.state;
        const id = spans(doc)[index]?.id;
        if (id !== undefined) short.run(moveShortEdge(id, edge, positionOf(doc, pos)));
        expect(snapshotOf(drag(at(marked, 0), index, edge, pos)).marked()).toBe(short.marked);
      },
    ),
    { numRuns: 200 },
  );
});
