/** The editor of long texts as the panels see it: its places are offsets in the text. */
import type { Surface } from "@/features/workspace/panels/surface";
import type { TextSpan } from "@/marked-text/markup";
import type { LargeEditor } from "./engine/editor";
import { isClassified, spansField } from "./engine/spans";
import { LongTextTracker } from "./long-text-tracker";

/** After the last change: no key waits for what the page reads then. */
const PAUSE_MS = 150;

export function longSurface(editor: LargeEditor): Surface<TextSpan> {
  return {
    standings: (places) => {
      const spans = editor.state.field(spansField);
      return places.map(({ from, to }) => (isClassified(spans, from, to) ? "marked" : "plain"));
    },
    mark: (places) => void editor.mark(places),
    unmark: (places) => void editor.unmark(places),
    track: () => new LongTextTracker(editor),
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
