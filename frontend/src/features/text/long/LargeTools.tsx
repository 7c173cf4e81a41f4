import { Toolbar } from "@base-ui/react/toolbar";
import {
  ChevronDown,
  ChevronUp,
  Eye,
  ListTree,
  Lock,
  LockOpen,
  Redo2,
  ScrollText,
  Search,
  Undo2,
  UnfoldHorizontal,
} from "lucide-react";
import { useSyncExternalStore } from "react";
import { EAVESDROPPING } from "@/features/text/tiptap/editing";
import { LabelMenu } from "@/features/workspace/panels/LabelMenu";
import { KEYS } from "@/features/workspace/shell/shortcuts";
import { ToolButton } from "@/features/workspace/shell/ToolButton";
import type { LargeEditor } from "./engine/editor";
import type { LargeLabels } from "./labels";

interface LargeToolsProps {
  editor: LargeEditor;
  labels: LargeLabels | null;
  /** On a phone only the icons. */
  small: boolean;
  finding: boolean;
  onFind: () => void;
  byPolicy: boolean;
  onPolicy: () => void;
  /** Null where the spans are beside the text. */
  onSpans: (() => void) | null;
  eavesdropping: boolean;
  onEavesdropping: () => void;
}

/** What is done to a long text. One tab stop; arrow keys go from tool to tool. */
export function LargeTools(props: LargeToolsProps) {
  const { editor, labels, small, finding, onFind, byPolicy, onPolicy, onSpans, eavesdropping, onEavesdropping } = props;
  const standing = useSyncExternalStore(editor.subscribe, editor.standing);
  const { marked } = standing;
  const off = eavesdropping ? EAVESDROPPING : null;
  return (
    <Toolbar.Root aria-label="Text tools" className="flex min-w-0 items-center gap-0.5 max-sm:justify-between sm:gap-1">
      <ToolButton
        label={marked ? "Unmark" : "Mark as classified"}
        tip={
          off ??
          (marked ? "Unmark the selection, or the span at the cursor" : "Mark the selection, or the word at the cursor")
        }
        shortcut={KEYS.mark}
        icon={marked ? <LockOpen aria-hidden /> : <Lock aria-hidden />}
        word={marked ? "Unmark" : "Mark"}
        disabled={off !== null}
        onClick={() => editor.toggle()}
        className="min-w-24 max-sm:min-w-13 border-secure-edge/60 text-secure"
      />
      {labels && (
        <LabelMenu
          set={labels.set}
          small={small}
          none={!standing.some}
          off={off}
          isNone={() => editor.spansHere(1).length === 0}
          onChoose={(label) => labels.change({ places: editor.spansHere().map((place) => ({ place, label })) })}
          text={() => editor.dom}
        />
      )}
      {/* Else there is no room for it beside labels: it is in the menu. */}
      {onSpans === null && (
        <ToolButton
          label="Move edges here"
          tip={off ?? "Move the edges of the span to where the selection is"}
          shortcut={KEYS.fit}
          icon={<UnfoldHorizontal aria-hidden />}
          disabled={!standing.fits || off !== null}
          onClick={() => editor.fit()}
        />
      )}
      <ToolButton
        label="Undo"
        {...(off && { tip: off })}
        shortcut={KEYS.undo}
        icon={<Undo2 aria-hidden />}
        disabled={!standing.canUndo || off !== null}
        onClick={() => editor.undo()}
      />
      <ToolButton
        label="Redo"
        {...(off && { tip: off })}
        shortcut={KEYS.redo}
        icon={<Redo2 aria-hidden />}
        disabled={!standing.canRedo || off !== null}
        onClick={() => editor.redo()}
      />
      <ToolButton
        label="Previous span"
        shortcut={KEYS.previousSpan}
        icon={<ChevronUp aria-hidden />}
        disabled={standing.spans === 0}
        onClick={() => editor.step(-1)}
      />
      <ToolButton
        label="Next span"
        shortcut={KEYS.nextSpan}
        icon={<ChevronDown aria-hidden />}
        disabled={standing.spans === 0}
        onClick={() => editor.step(1)}
      />
      {!small && (
        <ToolButton
          label="Find"
          tip="Find, and mark or unmark all places"
          shortcut={KEYS.find}
          icon={<Search aria-hidden />}
          pressed={finding}
          onClick={onFind}
        />
      )}
      {!small && (
        <ToolButton
          label="Policies"
          tip="Mark by a policy"
          icon={<ScrollText aria-hidden />}
          pressed={byPolicy}
          onClick={onPolicy}
        />
      )}
      {onSpans && <ToolButton label="Classified spans" icon={<ListTree aria-hidden />} onClick={onSpans} />}
      <ToolButton
        label="What an eavesdropper sees"
        icon={<Eye aria-hidden />}
        {...(!small && { word: "What an eavesdropper sees" })}
        tone="open"
        pressed={eavesdropping}
        onClick={onEavesdropping}
      />
    </Toolbar.Root>
  );
}
