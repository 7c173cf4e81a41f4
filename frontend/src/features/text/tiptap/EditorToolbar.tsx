import { Toolbar } from "@base-ui/react/toolbar";
import { useEditorState } from "@tiptap/react";
import {
  ChevronDown,
  ChevronUp,
  CircleHelp,
  Eye,
  ListTree,
  Lock,
  LockOpen,
  Redo2,
  ScrollText,
  Search,
  Undo2,
} from "lucide-react";
import { flushSync } from "react-dom";
import { KEYS } from "@/features/workspace/shell/shortcuts";
import { ToolButton } from "@/features/workspace/shell/ToolButton";
import { EAVESDROPPING, toolsOf } from "./editing";
import { TextLabelMenu } from "./TextLabelMenu";
import { useWatchedPart, useWorkbench } from "./workbench";

interface EditorToolbarProps {
  /** On a phone only the icons. */
  small: boolean;
  eavesdropping: boolean;
  onEavesdropping: () => void;
  /** Shows the text again; null where it is shown. */
  onText: (() => void) | null;
  /** Null where the spans are beside the text. */
  onSpans: (() => void) | null;
  onHelp: () => void;
  finding: boolean;
  onFind: () => void;
  byPolicy: boolean;
  onPolicy: () => void;
}

/** What is done to the text. One tab stop; arrow keys go from tool to tool. */
export function EditorToolbar(props: EditorToolbarProps) {
  const { small, eavesdropping, onEavesdropping, onText, onSpans, onHelp, finding, onFind, byPolicy, onPolicy } = props;
  const { editor } = useWorkbench();
  const tools = useEditorState({ editor, selector: toolsOf });
  const none = useWatchedPart(({ spans }) => spans.length === 0);
  const off = onText === null ? null : EAVESDROPPING;
  const step = (command: "nextSpan" | "previousSpan") => {
    if (onText) flushSync(onText);
    editor.chain()[command]().focus(null, { scrollIntoView: false }).run();
  };
  return (
    <Toolbar.Root aria-label="Text tools" className="flex min-w-0 items-center gap-0.5 max-sm:justify-between sm:gap-1">
      <ToolButton
        label={tools.marked ? "Unmark" : "Mark as classified"}
        tip={
          off ??
          (tools.marked
            ? "Unmark the selection, or the span at the cursor"
            : "Mark the selection, or the word at the cursor")
        }
        shortcut={KEYS.mark}
        icon={tools.marked ? <LockOpen aria-hidden /> : <Lock aria-hidden />}
        word={tools.marked ? "Unmark" : "Mark"}
        disabled={off !== null}
        onClick={() => editor.commands.toggleClassified()}
        className="min-w-24 max-sm:min-w-13 border-secure-edge/60 text-secure"
      />
      <TextLabelMenu small={small} off={off} />
      <Divider />
      <ToolButton
        label="Undo"
        {...(off && { tip: off })}
        shortcut={KEYS.undo}
        icon={<Undo2 aria-hidden />}
        disabled={!tools.canUndo || off !== null}
        onClick={() => editor.commands.undo()}
      />
      <ToolButton
        label="Redo"
        {...(off && { tip: off })}
        shortcut={KEYS.redo}
        icon={<Redo2 aria-hidden />}
        disabled={!tools.canRedo || off !== null}
        onClick={() => editor.commands.redo()}
      />
      <Divider />
      <ToolButton
        label="Previous span"
        shortcut={KEYS.previousSpan}
        icon={<ChevronUp aria-hidden />}
        disabled={none}
        onClick={() => step("previousSpan")}
      />
      <ToolButton
        label="Next span"
        shortcut={KEYS.nextSpan}
        icon={<ChevronDown aria-hidden />}
        disabled={none}
        onClick={() => step("nextSpan")}
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
      <Divider />
      <ToolButton
        label="What an eavesdropper sees"
        icon={<Eye aria-hidden />}
        {...(!small && { word: "What an eavesdropper sees" })}
        tone="open"
        pressed={eavesdropping}
        onClick={onEavesdropping}
      />
      {!small && (
        <ToolButton
          label="Keyboard shortcuts"
          shortcut={KEYS.help}
          icon={<CircleHelp aria-hidden />}
          onClick={onHelp}
        />
      )}
    </Toolbar.Root>
  );
}

function Divider() {
  return <Toolbar.Separator className="mx-1 h-6 border-line border-l max-sm:hidden" />;
}
