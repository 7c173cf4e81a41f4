/** The edges of a span move as they do in the editor of short texts: the same documents, the same keys, the same marks. */
import { EditorSelection, type EditorState, type TransactionSpec } from "@codemirror/state";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Unit } from "@/editor/edge-steps";
import { growSpan, shrinkSpan } from "@/editor/edges";
import { parse } from "@/editor/markup";
import { Session } from "@/editor/session.fixture";
import { grow, shrink } from "./edges";
import { snapshotOf } from "./snapshot";
import { stateOf } from "./spans";

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
      fc.constantFrom<Unit>("word", "character"),
      fc.boolean(),
      (words, classified, where, unit, outwards) => {
        // What touches is one span, so that the marked text says all.
        const marked = words
          .map((word, n) => (classified[n] ? `<$S>${word}<$E>` : word))
          .join("")
          .replaceAll("<$E><$S>", "");
        const { text } = parse(marked);
        const pos = where % (text.length + 1);
        const short = new Session(marked).select(pos).run(outwards ? growSpan(unit) : shrinkSpan(unit)).marked;
        expect(snapshotOf(after(at(marked, pos), outwards ? grow : shrink, unit)).marked()).toBe(short);
      },
    ),
    { numRuns: 200 },
  );
});
