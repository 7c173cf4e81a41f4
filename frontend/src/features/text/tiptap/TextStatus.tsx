import { plural, t } from "@lingui/core/macro";
import { useEditorState } from "@tiptap/react";
import { TriangleAlert } from "lucide-react";
import { Bytes } from "@/components/ui/Bytes";
import { findingsText } from "@/features/transfers/findings";
import { numberText } from "@/lib/numbers";
import { TypingIsClassified } from "../TypingIsClassified";
import { whereOf } from "./editing";
import { useFindings, useOpenText, useWatchedPart } from "./open-text";

interface TextStatusProps {
  small: boolean;
  /** Shows the findings; null where they are beside the text. */
  onFindings: (() => void) | null;
}

/** Where the cursor is, and what typing there does. On a phone only the second. */
export function TextStatus({ small, onFindings }: TextStatusProps) {
  const { editor } = useOpenText();
  const where = useEditorState({ editor, selector: whereOf });
  const documentBytes = useWatchedPart(({ counts }) => counts.documentBytes);
  const { open } = useFindings();
  return (
    <>
      {!small && (
        <span className="whitespace-nowrap tabular-nums">
          {t`Line ${{ line: numberText(where.line) }}, column ${{ column: numberText(where.column) }}`}
        </span>
      )}
      {!small && where.selected > 0 && (
        <span className="whitespace-nowrap">
          {plural(where.selected, { one: "# character selected", other: "# characters selected" })}
        </span>
      )}
      {!small && <Bytes value={documentBytes} className="whitespace-nowrap" />}
      {where.classified && <TypingIsClassified />}
      {onFindings && open.length > 0 && (
        <button
          type="button"
          onClick={onFindings}
          className="tap flex min-h-6 items-center gap-1 whitespace-nowrap font-medium text-ink underline decoration-edge underline-offset-2"
        >
          <TriangleAlert aria-hidden className="size-3 text-plain" />
          {findingsText(open.length)}
        </button>
      )}
    </>
  );
}
