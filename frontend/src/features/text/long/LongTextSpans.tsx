import { t } from "@lingui/core/macro";
import { useMemo, useSyncExternalStore } from "react";
import { HOW_TO_MARK_TEXT, MarksList, WHITE_SPACE } from "@/features/workspace/panels/MarksList";
import { numberText } from "@/lib/numbers";
import { charactersOf, charactersText } from "../character-counts";
import type { TextLabels } from "../labels";
import type { LongTextEditor } from "./engine/editor";
import { labelOf, labelsField } from "./engine/labels";
import { indexAt, SpanIndexes } from "./engine/span-index";

const EXCERPT = 120;

interface LongTextSpansProps {
  editor: LongTextEditor;
  labels: TextLabels | null;
  /** Nothing can be changed. */
  readOnly: boolean;
  /** Called after a jump to a span. */
  onJumped: () => void;
}

/** The classified spans of a long text. */
export function LongTextSpans({ editor, labels, readOnly, onJumped }: LongTextSpansProps) {
  const status = useSyncExternalStore(editor.subscribe, editor.status);
  const indexes = useMemo(() => new SpanIndexes(editor), [editor]);
  const index = useSyncExternalStore(indexes.subscribe, indexes.latest);
  const { doc, spans } = index;
  const here = indexAt(index, editor.state.selection.main.head);
  // The author has typed since: the list is out of date, and updated in a moment.
  const latest = (at: number) => (editor.state.doc === doc ? spans[at] : undefined);
  return (
    <MarksList
      title={t`Classified spans`}
      count={status.spans}
      listed={spans.length}
      how={HOW_TO_MARK_TEXT}
      row={(at) => {
        const span = spans[at];
        if (!span) return null;
        const text = doc.sliceString(span.from, Math.min(span.to, span.from + EXCERPT), "\n");
        const length = span.to - span.from > EXCERPT ? span.to - span.from : charactersOf(text);
        return {
          key: at,
          excerpt: text.replace(/\s+/g, " ").trim(),
          title: WHITE_SPACE,
          note: t`Line ${{ line: numberText(doc.lineAt(span.from).number) }} · ${{ size: charactersText(length) }}`,
          label: labels && (labelOf(editor.state.field(labelsField), span) ?? labels.set.default),
          isHere: at === here,
        };
      }}
      onJump={(at) => {
        const span = latest(at);
        if (!span) return;
        editor.select(span);
        onJumped();
      }}
      onUnmark={
        readOnly
          ? null
          : (indexes) => {
              const chosen = indexes.flatMap((at) => latest(at) ?? []);
              if (chosen.length > 0) editor.unmark(chosen);
            }
      }
    />
  );
}
