/** Labels stand at their spans, whatever is written before, within and behind them. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { labelOf, labelsField, showLabels } from "./labels";
import { ranges, spansField, stateOf } from "./spans";

const names = fc.array(fc.option(fc.constantFrom("SECRET", "RESTRICTED")), { minLength: 1, maxLength: 6 });

/** "-ab-ab…": a span for each label. */
function labelled(labels: readonly (string | null)[]) {
  const spans = labels.map((_, index) => ({ from: index * 3 + 1, to: index * 3 + 3 }));
  const state = stateOf({ text: "-ab".repeat(labels.length), spans }, [labelsField]);
  return state.update({ effects: showLabels.of(labels) }).state;
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
