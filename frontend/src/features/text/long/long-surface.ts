/** The editor of long texts as the panels see it: its places are offsets in the text. */

import { contextOf } from "@/features/text/tiptap/engine/occurrences";
import type { TextSurface } from "@/features/workspace/panels/surface";
import type { LongTextEditor } from "./engine/editor";
import { isClassified, spansField } from "./engine/spans";
import { LongTextTracker } from "./long-text-tracker";

/** After the last change: no key waits for what the page reads then. */
const PAUSE_MS = 150;
/** More than is shown of a place and around it, in UTF-16 code units. */
const AROUND = 200;

export function longSurface(editor: LongTextEditor): TextSurface {
  return {
    standings: (places) => {
      const spans = editor.state.field(spansField);
      return places.map(({ from, to }) => (isClassified(spans, from, to) ? "marked" : "plain"));
    },
    mark: (places) => void editor.mark(places),
    unmark: (places) => void editor.unmark(places),
    track: () => new LongTextTracker(editor),
    // Typed meanwhile: the places are drawn again in a moment.
    highlight: (places, current) =>
      editor.showPlaces(
        places.filter(({ to }) => to <= editor.state.doc.length),
        current,
      ),
    // Highlighting scrolls to the current place.
    reveal: () => () => {},
    context: ({ from, to }) => {
      const { doc } = editor.state;
      const start = Math.max(0, from - AROUND);
      const text = doc.sliceString(start, Math.min(doc.length, Math.min(to, from + AROUND) + AROUND), "\n");
      return contextOf({ text }, { from: from - start, to: Math.min(to - start, text.length) });
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
