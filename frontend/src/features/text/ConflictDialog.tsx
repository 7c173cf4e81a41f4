import { t } from "@lingui/core/macro";
import { useState } from "react";
import type { DraftShown } from "@/api/types";
import { ConfirmDialog } from "@/components/ui/ConfirmDialog";
import { ConflictChoices } from "../workspace/saving/ConflictChoices";
import type { Theirs } from "../workspace/saving/save-state";
import { useSaver } from "../workspace/saving/saver-context";
import { mineName, type TextInPage, useKeepAsNew } from "./use-keep-as-new";

interface ConflictDialogProps {
  draft: DraftShown;
  text: TextInPage;
  theirs: Theirs;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

/** A text was saved elsewhere while it was changed here. */
export function ConflictDialog({ draft, text, theirs, open, onOpenChange }: ConflictDialogProps) {
  const saver = useSaver();
  const keeping = useKeepAsNew(draft, mineName(draft.name), text);
  const [sure, setSure] = useState(false);
  return (
    <>
      <ConflictChoices
        theirs={theirs}
        open={open}
        onOpenChange={onOpenChange}
        description={t`This document was changed there and here. Choose which version to keep.`}
        choices={[
          {
            word: t`Keep mine as a new document`,
            note: t`Nothing is lost. The other version stays as it is, and you continue in yours.`,
            onChoose: () => keeping.mutate(),
            busy: keeping.isPending,
          },
          {
            word: t`Keep mine`,
            note: t`Your version replaces the other one, which is lost.`,
            onChoose: () => saver.keepMine(),
          },
          {
            word: t`Take theirs`,
            note: t`The other version replaces yours. You lose your changes since your last save.`,
            onChoose: () => setSure(true),
          },
        ]}
        failed={{ title: t`The document was not kept.`, error: keeping.error }}
      />
      <ConfirmDialog
        open={sure}
        onClose={() => setSure(false)}
        title={t`Discard your changes?`}
        confirm={t`Take theirs`}
        onConfirm={() => {
          setSure(false);
          saver.takeTheirs();
        }}
      >
        {t`You lose all changes since your last save. This can’t be undone.`}
      </ConfirmDialog>
    </>
  );
}
