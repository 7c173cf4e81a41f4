import type { DraftShown } from "@/api/types";
import { ConflictDialog } from "./ConflictDialog";
import { DeletedDialog } from "./DeletedDialog";
import { useSaver, useSaveState } from "./saving";

interface DecisionsProps {
  draft: DraftShown;
  open: boolean;
  onOpenChange: (open: boolean) => void;
  /** The page is to be left, and what is in it with it. */
  onLeave: () => void;
}

/** What somebody has to decide before it can be saved again. */
export function Decisions({ draft, open, onOpenChange, onLeave }: DecisionsProps) {
  const { phase } = useSaveState();
  const saver = useSaver();
  if (phase.is === "conflict") {
    return <ConflictDialog draft={draft} theirs={phase.theirs} open={open} onOpenChange={onOpenChange} />;
  }
  if (phase.is !== "deleted") return null;
  return (
    <DeletedDialog
      draft={draft}
      open={open}
      onOpenChange={onOpenChange}
      onLeave={() => {
        saver.drop();
        onLeave();
      }}
    />
  );
}
