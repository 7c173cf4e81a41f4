/** The editor of long texts as the panels see it: its places are offsets in the text. */
import type { Text } from "@codemirror/state";
import { inTextOrder, type TextSurface } from "@/features/workspace/panels/surface";
import type { TextParts } from "@/marked-text/context";
import { markStates } from "@/marked-text/mark-state";
import type { TextSpan } from "@/marked-text/markup";
import type { LongTextEditor } from "./engine/editor";
import { ranges, spansField } from "./engine/spans";
import { LongTextTracker } from "./long-text-tracker";

/** After the last change: no key waits for what the page reads then. */
const PAUSE_MS = 150;

export function longSurface(editor: LongTextEditor): TextSurface {
  const text = textOf(editor);
  let shown: readonly TextSpan[] = [];
  let shownCurrent = -1;
  return {
    text,
    selection: () => editor.state.selection.main,
    spans: () => {
      const spans = editor.state.field(spansField);
      return { count: spans.size, inOrder: () => ranges(spans) };
    },
    order: inTextOrder,
    states: (places) => markStates(text(), (from) => ranges(editor.state.field(spansField), from), places),
    mark: (places) => void editor.mark(places),
    unmark: (places) => void editor.unmark(places),
    select: (place) => editor.select(place),
    track: () => new LongTextTracker(editor),
    highlight: (places, current) => {
      // They move with the text, and there may be a million of them.
      if (places === shown && current === shownCurrent) return;
      [shown, shownCurrent] = [places, current];
      editor.showPlaces(places, current);
    },
    underline: (places) => editor.underline(places),
    reveal: (place) => {
      editor.reveal(place);
      return () => {};
    },
    onChange: (listener) => {
      let timer = 0;
      const stop = editor.onChange(() => {
        window.clearTimeout(timer);
        timer = window.setTimeout(listener, PAUSE_MS);
      });
      return () => {
        stop();
        window.clearTimeout(timer);
      };
    },
  };
}

function textOf(editor: LongTextEditor): () => TextParts {
  let known: { doc: Text; parts: TextParts } | null = null;
  return () => {
    const { doc } = editor.state;
    if (known?.doc !== doc) {
      known = { doc, parts: { length: doc.length, slice: (from, to) => doc.sliceString(from, to, "\n") } };
    }
    return known.parts;
  };
}
