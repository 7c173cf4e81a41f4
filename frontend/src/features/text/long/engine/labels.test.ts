/** Labels stay at their spans, whatever is written before, within and after them. */
import { history, undo } from "@codemirror/commands";
import type { EditorState } from "@codemirror/state";
import fc from "fast-check";
import { expect, test } from "vitest";
import { moveEdge } from "./edges";
import { labelOf, labelsField, showLabels } from "./labels";
import { mark, ranges, spansField, stateOf, unmark } from "./spans";

const rank = (label: string | null) => ["RESTRICTED", "SECRET"].indexOf(label ?? "");
const names = fc.array(fc.option(fc.constantFrom("SECRET", "RESTRICTED")), { minLength: 1, maxLength: 6 });

/** "-ab-ab…": a span for each label. */
function labelled(labels: readonly (string | null)[]) {
  const spans = labels.map((_, index) => ({ from: index * 3 + 1, to: index * 3 + 3 }));
  const state = stateOf({ text: "-ab".repeat(labels.length), spans }, [labelsField]);
  return state.update({ effects: showLabels.of({ labels, rank }) }).state;
}

test("each span keeps its label while text comes in anywhere", () => {
  fc.assert(
    fc.property(names, fc.array(fc.nat(), { maxLength: 8 }), (labels, places) => {
      let state = labelled(labels);
      for (const place of places)
        state = state.update({ changes: { from: place % (state.doc.length + 1), insert: "😀" } }).state;
      const shown = state.field(labelsField);
      expect(Array.from(ranges(state.field(spansField)), (span) => labelOf(shown, span))).toEqual(labels);
    }),
    { numRuns: 50 },
  );
});

test("a span that is gone has none, and its neighbours have theirs", () => {
  const { state } = labelled(["SECRET", "RESTRICTED", null]).update({ changes: { from: 1, to: 4 } });
  const shown = state.field(labelsField);
  expect(Array.from(ranges(state.field(spansField)), (span) => labelOf(shown, span))).toEqual(["RESTRICTED", null]);
});

test("spans of one character beside each other have their own, and one that is made of several the highest", () => {
  const touching = ["RESTRICTED", null, "SECRET"].map((label, at) => ({ label, from: at, to: at + 1 }));
  let state = stateOf({ text: "abc", spans: touching }, [labelsField]);
  state = state.update({ effects: showLabels.of({ labels: touching.map(({ label }) => label), rank }) }).state;
  const shown = () => Array.from(ranges(state.field(spansField)), (span) => labelOf(state.field(labelsField), span));
  expect(shown()).toEqual(["RESTRICTED", null, "SECRET"]);
  state = state.update(mark(state, [{ from: 0, to: 3 }])).state;
  expect(shown()).toEqual(["SECRET"]);
});

test("a label moves with the edges of its span, there and back, and to all parts of a split span", () => {
  const labels = (state: EditorState) =>
    Array.from(ranges(state.field(spansField)), (span) => labelOf(state.field(labelsField), span));
  /** Of each label the place where it is shown. */
  const places = (state: EditorState) => {
    const found: number[] = [];
    state.field(labelsField).between(0, state.doc.length, (from) => void found.push(from));
    return found;
  };
  const text = "one two three four";
  const spans = [
    { from: 4, to: 13 },
    { from: 14, to: 18 },
  ];
  const opened = stateOf({ text, spans }, [labelsField, history()]).update({
    effects: showLabels.of({ labels: ["SECRET", "RESTRICTED"], rank }),
  }).state;
  const [span] = spans;
  if (!span) throw new Error("there is no span");
  for (const start of [0, 8]) {
    const spec = moveEdge(opened, span, "start", start);
    const { state } = opened.update(spec ?? {});
    expect([labels(state), places(state)]).toEqual([
      ["SECRET", "RESTRICTED"],
      [start, 14],
    ]);
    undo({
      state,
      dispatch: (back) => expect([labels(back.state), places(back.state)]).toEqual([labels(opened), [4, 14]]),
    });
  }
  const split = opened.update(unmark(opened, [{ from: 7, to: 8 }])).state;
  expect([labels(split), places(split)]).toEqual([
    ["SECRET", "SECRET", "RESTRICTED"],
    [4, 8, 14],
  ]);
  const joined = split.update(mark(split, [{ from: 0, to: 18 }])).state;
  expect([labels(joined), places(joined)]).toEqual([["SECRET"], [0]]);
});

test("a span keeps its label when its first character is deleted, and has none once all of it is", () => {
  const labels = (state: EditorState) =>
    Array.from(ranges(state.field(spansField)), (span) => labelOf(state.field(labelsField), span));
  let state = labelled(["SECRET", "RESTRICTED"]);
  state = state.update({ changes: { from: 1, to: 2 } }).state;
  expect(labels(state)).toEqual(["SECRET", "RESTRICTED"]);
  // From before the span into it.
  state = state.update({ changes: { from: 2, to: 4, insert: "x" } }).state;
  expect(labels(state)).toEqual(["SECRET", "RESTRICTED"]);
  state = state.update({ changes: { from: 0, to: state.doc.length } }).state;
  state = state.update({ changes: { from: 0, insert: "new" } }).state;
  state = state.update(mark(state, [{ from: 0, to: 3 }])).state;
  expect(labels(state)).toEqual([null]);
});

test("labels of unmarked spans move with the text, also where no span is left", () => {
  let state = labelled(["SECRET"]);
  state = state.update(unmark(state, [{ from: 1, to: 3 }])).state;
  state = state.update({ changes: { from: 0, to: 3 } }).state;
  expect(() => state.update({ changes: { from: 0, insert: "a" } }).state.field(labelsField)).not.toThrow();
});
