import type { DraftShown } from "@/api/types";
import { useSaver, useSaveState } from "../workspace/saving/saver-context";
import { ConflictDialog } from "./ConflictDialog";
import { DeletedDialog } from "./DeletedDialog";
import type { TextInPage } from "./use-keep-as-new";

interface SaveDecisionsProps {
  draft: DraftShown;
  text: TextInPage;
  open: boolean;
  onOpenChange: (open: boolean) => void;
  /** Leaves the page, and loses what is not saved. */
  onLeave: () => void;
}

/** What the author has to decide before the text can be saved again. */
export function SaveDecisions({ draft, text, open, onOpenChange, onLeave }: SaveDecisionsProps) {
  const { phase } = useSaveState();
  const saver = useSaver();
  if (phase.is === "conflict") {
    return <ConflictDialog draft={draft} text={text} theirs={phase.theirs} open={open} onOpenChange={onOpenChange} />;
  }
  if (phase.is !== "deleted") return null;
  return (
    <DeletedDialog
      draft={draft}
      text={text}
      open={open}
      onOpenChange={onOpenChange}
      onLeave={() => {
        saver.drop();
        onLeave();
      }}
    />
  );
}
