/** Labels stand at their spans, whatever is written before, within and behind them. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { labelOf, labelsField, showLabels } from "./labels";
import { mark, ranges, spansField, stateOf } from "./spans";

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
