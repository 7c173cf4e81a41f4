import type { Editor } from "@tiptap/core";
import { useEditorState } from "@tiptap/react";
import { LabelMenu } from "@/features/workspace/panels/LabelMenu";
import { textRange } from "./engine/insert";
import { spanIdAt } from "./engine/place";
import { piecesBetween } from "./engine/runs";
import { type Labels, useLabels } from "./labels";
import { useWorkbench } from "./workbench";

/** The label of the span at the cursor, or of all that the selection reaches into. Nothing where there are no labels. */
export function TextLabelMenu({ small, off }: { small: boolean; off: string | null }) {
  const labels = useLabels();
  const { editor } = useWorkbench();
  const none = useEditorState({ editor, selector: (now) => spansHere(now.editor).length === 0 });
  if (!labels) return null;
  return (
    <LabelMenu
      set={labels.set}
      small={small}
      none={none}
      off={off}
      isNone={() => spansHere(editor).length === 0}
      onChoose={(label) => labels.change({ spans: new Map(spansHere(editor).map((span) => [span, label])) })}
      text={() => editor.view.dom}
    />
  );
}

/** The label of a span, the default where it has none of its own. */
export function labelOf({ bySpan, set }: Labels, span: number): string | null {
  return bySpan.get(span) ?? set.default;
}

function spansHere(editor: Editor | null): number[] {
  if (!editor) return [];
  const { doc, selection } = editor.state;
  if (selection.empty) {
    const here = spanIdAt(doc, selection.head);
    return here === null ? [] : [here];
  }
  const { from, to } = textRange(doc, selection);
  return [...new Set(piecesBetween(doc, from, to).flatMap(({ span }) => span ?? []))];
}
