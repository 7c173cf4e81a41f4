import { useEditorState } from "@tiptap/react";
import { TriangleAlert } from "lucide-react";
import { useLiveState } from "@/app/live";
import { Bytes } from "@/components/ui/Bytes";
import { findingsText } from "@/features/transfers/findings";
import { SaveWords } from "@/features/workspace/saving/SaveWords";
import { cx } from "@/lib/cx";
import { TypingIsClassified } from "../TypingIsClassified";
import { charactersText, whereOf } from "./editing";
import { useFindings, useWatchedPart, useWorkbench } from "./workbench";

const LIVE = { connecting: "", live: "Live", reconnecting: "Not live" } as const;

interface StatusLineProps {
  small: boolean;
  /** Null where the findings are beside the text. */
  onFindings: (() => void) | null;
  className?: string;
}

/** Where the cursor is, what typing there does, and whether all is saved. On a phone only the last two. */
export function StatusLine({ small, onFindings, className }: StatusLineProps) {
  const { editor } = useWorkbench();
  const where = useEditorState({ editor, selector: whereOf });
  const documentBytes = useWatchedPart(({ counts }) => counts.documentBytes);
  const live = useLiveState();
  const { open } = useFindings();
  return (
    <div className={cx("flex min-h-8 items-center gap-x-5 gap-y-0.5 text-quiet text-xs", className)}>
      {!small && (
        <span className="whitespace-nowrap tabular-nums">
          Line {where.line.toLocaleString("en")}, column {where.column.toLocaleString("en")}
        </span>
      )}
      {!small && where.selected > 0 && (
        <span className="whitespace-nowrap">{charactersText(where.selected)} selected</span>
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
      <span className="ml-auto flex min-w-0 items-center gap-4 sm:text-right">
        <SaveWords />
        {!small && LIVE[live] && <span className="whitespace-nowrap">{LIVE[live]}</span>}
      </span>
    </div>
  );
}
