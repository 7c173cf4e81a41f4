/** Outlines of found places, and underlines of findings, which move with the text. */
import { StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView } from "@codemirror/view";
import type { TextSpan } from "@/marked-text/markup";

export const showPlaces = StateEffect.define<{ places: readonly TextSpan[]; current: number }>();
const PLACE = Decoration.mark({ class: "found-place" });
const CURRENT = Decoration.mark({ class: "found-place", attributes: { "data-current": "" } });

export const placesField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(before, tr) {
    let now = before.map(tr.changes);
    for (const effect of tr.effects) {
      if (!effect.is(showPlaces)) continue;
      const { places, current } = effect.value;
      now = Decoration.set(places.map(({ from, to }, n) => (n === current ? CURRENT : PLACE).range(from, to)));
    }
    return now;
  },
  provide: (field) => EditorView.decorations.from(field),
});

export const showFindings = StateEffect.define<readonly TextSpan[]>();
const FINDING = Decoration.mark({ class: "finding" });

export const findingsField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(before, tr) {
    let now = before.map(tr.changes);
    for (const effect of tr.effects) {
      if (effect.is(showFindings))
        now = Decoration.set(
          effect.value.map(({ from, to }) => FINDING.range(from, to)),
          true,
        );
    }
    return now;
  },
  provide: (field) => EditorView.decorations.from(field),
});
