import { t } from "@lingui/core/macro";
import { useMutation } from "@tanstack/react-query";
import { marksOf } from "@/api/files";
import { ConfirmDialog } from "@/components/ui/ConfirmDialog";
import { ConflictChoices } from "../workspace/saving/ConflictChoices";
import type { Theirs } from "../workspace/saving/save-state";
import { useSaveState } from "../workspace/saving/saver-context";
import { canonical, united } from "./model/marks";
import { useOpenFile } from "./open-file";

interface FileDecisionsProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  /** Leaves the page, and loses what is not saved. */
  onLeave: () => void;
}

/** What the author has to decide before marks can be saved again. */
export function FileDecisions({ open, onOpenChange, onLeave }: FileDecisionsProps) {
  const { phase } = useSaveState();
  const { saver } = useOpenFile();
  if (phase.is === "conflict") return <Conflict theirs={phase.theirs} open={open} onOpenChange={onOpenChange} />;
  if (phase.is !== "deleted") return null;
  return (
    <ConfirmDialog
      open={open}
      onClose={() => onOpenChange(false)}
      title={t`Deleted elsewhere`}
      cancel={t`Stay`}
      confirm={t`Leave`}
      onConfirm={() => {
        saver.drop();
        onLeave();
      }}
    >{t`This document and its file were deleted in another window or by a program. To mark it again, import the file again.`}</ConfirmDialog>
  );
}

/** The marks were changed here and elsewhere. */
function Conflict({
  theirs,
  open,
  onOpenChange,
}: {
  theirs: Theirs;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}) {
  const { id, history, saver } = useOpenFile();
  const both = useMutation({
    mutationFn: () => marksOf(id, new AbortController().signal),
    onSuccess: ({ marks }) => {
      history.change(united(history.snapshot().marks, canonical(marks)), t`Added the other marks`);
      saver.keepMine();
    },
  });
  return (
    <ConflictChoices
      theirs={theirs}
      open={open}
      onOpenChange={onOpenChange}
      description={t`The marks in this document were changed there and here. Choose which marks to keep.`}
      choices={[
        {
          word: t`Keep both`,
          note: t`Everything that is marked in either version is classified.`,
          onChoose: () => both.mutate(),
          busy: both.isPending,
        },
        {
          word: t`Keep mine`,
          note: t`Your marks replace the other ones.`,
          onChoose: () => saver.keepMine(),
        },
        {
          word: t`Take theirs`,
          note: t`The other marks replace yours. You lose your changes since your last save.`,
          onChoose: () => saver.takeTheirs(),
        },
      ]}
      failed={{ title: t`The other marks could not be loaded.`, error: both.error }}
    />
  );
}
