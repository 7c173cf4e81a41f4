import { t } from "@lingui/core/macro";
import { closeHistory } from "@tiptap/pm/history";
import { useEditorState } from "@tiptap/react";
import { FindingsPanel } from "@/features/workspace/panels/FindingsPanel";
import { HOW_TO_MARK_TEXT, MarksList, WHITE_SPACE } from "@/features/workspace/panels/MarksList";
import { ShareSummary } from "@/features/workspace/panels/ShareSummary";
import { numberText } from "@/lib/numbers";
import { sizeText } from "@/lib/sizes";
import type { TextSpan } from "@/marked-text/markup";
import type { TextLabels } from "../labels";
import { EAVESDROPPING } from "../TextTools";
import { ClassifyStep } from "./engine/classify-step";
import { spanIdAt } from "./engine/place";
import type { Span } from "./engine/queries";
import type { SpanLabels } from "./engine/span-labels";
import { textMap } from "./engine/text-map";
import { useOpenText, useWatched } from "./open-text";

interface SpansPanelProps {
  /** Nothing can be changed. */
  readOnly: boolean;
  labels: TextLabels | null;
  bySpan: SpanLabels;
  onJump: (place: TextSpan) => void;
}

/** How much of the document is classified, the findings, and the classified spans. */
export function SpansPanel({ readOnly, labels, bySpan, onJump }: SpansPanelProps) {
  const { editor, leaks, surface } = useOpenText();
  const { doc, counts, spans } = useWatched();
  const here = useEditorState({
    editor,
    selector: (now) => spanIdAt(now.editor.state.doc, now.editor.state.selection.head),
  });
  const unmark = (chosen: readonly Span[]) => {
    if (chosen.length === 0) return;
    // The cursor stays where it is.
    const { tr } = editor.state;
    editor.view.dispatch(
      closeHistory(tr.step(new ClassifyStep(chosen.map(({ from, to }) => ({ from, to, span: null }))))),
    );
  };
  return (
    <div className="flex max-h-full min-h-0 flex-col gap-4">
      <ShareSummary counts={counts} />
      {readOnly && <p className="text-quiet text-sm">{EAVESDROPPING}.</p>}
      <FindingsPanel
        surface={surface}
        leaks={leaks}
        readOnly={readOnly}
        onJump={onJump}
        hint={null}
        className="max-h-[30dvh] max-sm:max-h-[44dvh] lg:max-h-[44dvh]"
      />
      <MarksList
        title={t`Classified spans`}
        count={spans.length}
        how={HOW_TO_MARK_TEXT}
        row={(index) => {
          const span = spans[index];
          return (
            span && {
              key: span.id,
              excerpt: span.excerpt,
              title: WHITE_SPACE,
              note: t`Line ${{ line: numberText(span.line) }} · ${{ size: sizeText(span.bytes) }}`,
              label: labels && (bySpan.get(span.id) ?? labels.set.default),
              isHere: span.id === here,
            }
          );
        }}
        onJump={(index) => {
          const span = spans[index];
          const map = textMap(doc);
          if (span) onJump({ from: map.offsetOf(span.from), to: map.offsetOf(span.to) });
        }}
        onUnmark={readOnly ? null : (indexes) => unmark(indexes.flatMap((index) => spans[index] ?? []))}
      />
    </div>
  );
}
