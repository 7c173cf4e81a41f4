import { useMemo, useSyncExternalStore } from "react";
import { charactersOf, charactersText } from "@/features/text/tiptap/editing";
import { MarkedRows } from "@/features/workspace/panels/MarkedRows";
import type { LargeEditor } from "./engine/editor";
import { labelOf, labelsField } from "./engine/labels";
import { indexAt, SpanIndexes } from "./engine/span-index";
import type { LargeLabels } from "./labels";

/** A browser lays out no box of more than some 33 million px. */
const MOST_ROWS = 500_000;
const EXCERPT = 120;

interface LargeSpansProps {
  editor: LargeEditor;
  labels: LargeLabels | null;
  /** Nothing can be changed. */
  readOnly: boolean;
  /** After it was gone to a span. */
  onJumped: () => void;
}

/** The classified spans of a long text. */
export function LargeSpans({ editor, labels, readOnly, onJumped }: LargeSpansProps) {
  const standing = useSyncExternalStore(editor.subscribe, editor.standing);
  const indexes = useMemo(() => new SpanIndexes(editor), [editor]);
  const index = useSyncExternalStore(indexes.subscribe, indexes.latest);
  const { doc, spans } = index;
  const count = Math.min(spans.length, MOST_ROWS);
  const here = indexAt(index, editor.state.selection.main.head);
  const isLatest = () => editor.state.doc === doc;
  return (
    <>
      <div className="flex items-baseline justify-between border-line border-t pt-4">
        <h2 className="font-medium text-sm">Classified spans</h2>
        <span data-spans className="text-quiet text-sm">
          {standing.spans.toLocaleString("en")}
        </span>
      </div>
      {count > 0 && (
        <MarkedRows
          label="Classified spans"
          count={count}
          row={(at) => {
            const span = spans[at];
            if (!span) return null;
            const text = doc.sliceString(span.from, Math.min(span.to, span.from + EXCERPT), "\n");
            const excerpt = text.replace(/\s+/g, " ").trim();
            const label = labels && (labelOf(editor.state.field(labelsField), span) ?? labels.set.default);
            const length = span.to - span.from > EXCERPT ? span.to - span.from : charactersOf(text);
            return {
              key: at,
              excerpt,
              title: "(white space)",
              note: `Line ${doc.lineAt(span.from).number.toLocaleString("en")} · ${charactersText(length)}`,
              label,
              unmark: `Unmark “${excerpt.length > 30 ? `${excerpt.slice(0, 29).trimEnd()}…` : excerpt}”`,
              isHere: at === here,
            };
          }}
          // Typed meanwhile: what is listed is not what is there, and will be in a moment.
          onJump={(at) => {
            const span = spans[at];
            if (!span || !isLatest()) return;
            editor.select(span);
            onJumped();
          }}
          onUnmark={
            readOnly
              ? null
              : (at) => {
                  const span = spans[at];
                  if (span && isLatest()) editor.unmark([span]);
                }
          }
        />
      )}
      {spans.length > count && (
        <p className="text-quiet text-sm">
          These are the first {count.toLocaleString("en")}. F8 goes from span to span in the text, to all of them.
        </p>
      )}
    </>
  );
}
