import { Toolbar } from "@base-ui/react/toolbar";
import { CircleHelp, Eye, FileDown, ListTree, Lock, LockOpen, Redo2, ScrollText, Undo2 } from "lucide-react";
import { KEYS } from "../workspace/shell/shortcuts";
import { ToolButton } from "../workspace/shell/ToolButton";
import { type Choice, useChoice, useMarks, useStanding, useStudio } from "./studio";

interface StudioToolbarProps {
  /** On a phone mostly icons. */
  small: boolean;
  /** Null where the marks are beside the file. */
  onMarks: (() => void) | null;
  onEavesdropper: () => void;
  onPolicy: () => void;
  onRedacted: () => void;
  onHelp: () => void;
}

/** What is done to what is selected, and to the whole. One tab stop; arrow keys go from tool to tool. */
export function StudioToolbar({ small, onMarks, onEavesdropper, onPolicy, onRedacted, onHelp }: StudioToolbarProps) {
  const studio = useStudio();
  const choice = useChoice();
  const standing = useStanding();
  const { canUndo, canRedo } = useMarks();
  const withChosen = (deed: (choice: Choice) => void) => {
    const now = studio.chosen();
    if (now) deed(now);
  };
  return (
    <Toolbar.Root
      aria-label="Marking tools"
      className="flex min-w-0 items-center gap-0.5 max-sm:justify-between sm:gap-1"
    >
      {studio.format !== "bytes" && (
        <>
          <ToolButton
            label="Mark as classified"
            tip={choice ? `Mark ${choice.words}` : "Mark what is selected"}
            shortcut={KEYS.mark}
            icon={<Lock aria-hidden />}
            word="Mark"
            tone="secure"
            disabled={!choice || standing?.all === true || standing?.above !== null}
            onClick={() => withChosen((now) => studio.mark(now.places, now.words))}
            className="border-secure-edge/60 text-secure"
          />
          <ToolButton
            label="Unmark"
            tip={choice ? `Unmark ${choice.words}` : "Unmark what is selected"}
            icon={<LockOpen aria-hidden />}
            {...(!small && { word: "Unmark" })}
            disabled={!choice || standing?.some !== true}
            onClick={() => withChosen((now) => studio.unmark(now.places, now.words))}
          />
          <Divider />
        </>
      )}
      <ToolButton
        label="Undo"
        shortcut={KEYS.undo}
        icon={<Undo2 aria-hidden />}
        disabled={!canUndo}
        onClick={() => studio.undo()}
      />
      <ToolButton
        label="Redo"
        shortcut={KEYS.redo}
        icon={<Redo2 aria-hidden />}
        disabled={!canRedo}
        onClick={() => studio.redo()}
      />
      <Divider />
      {!small && studio.format !== "bytes" && (
        <ToolButton label="Mark by a policy" icon={<ScrollText aria-hidden />} onClick={onPolicy} />
      )}
      {onMarks && <ToolButton label="What is classified" icon={<ListTree aria-hidden />} onClick={onMarks} />}
      <ToolButton
        label="What an eavesdropper sees"
        icon={<Eye aria-hidden />}
        {...(!small && { word: "What an eavesdropper sees" })}
        tone="open"
        onClick={onEavesdropper}
      />
      {studio.format !== "bytes" && (
        <ToolButton label="Redacted edition" icon={<FileDown aria-hidden />} onClick={onRedacted} />
      )}
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
