import { t } from "@lingui/core/macro";
import { useRef } from "react";
import { asProblem } from "@/api/problem";
import type { DraftShown } from "@/api/types";
import { Button } from "@/components/ui/Button";
import { Dialog } from "@/components/ui/Dialog";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { type TextInPage, useKeepAsNew } from "./use-keep-as-new";

interface DeletedDialogProps {
  draft: DraftShown;
  text: TextInPage;
  open: boolean;
  onOpenChange: (open: boolean) => void;
  /** Leaves the page, and loses its text. */
  onLeave: () => void;
}

/** The document was deleted elsewhere; only this page still has its text. */
export function DeletedDialog({ draft, text, open, onOpenChange, onLeave }: DeletedDialogProps) {
  const keep = useRef<HTMLButtonElement>(null);
  const keeping = useKeepAsNew(draft, draft.name, text);
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={t`Deleted elsewhere`}
      description={t`This document was deleted in another window or by a program. Its text is still here, but only on this page.`}
      width="sm"
      insistent={keeping.isPending}
      initialFocus={keep}
      footer={
        <>
          <Button disabled={keeping.isPending} onClick={onLeave}>
            {t`Leave it deleted`}
          </Button>
          <Button ref={keep} tone="primary" busy={keeping.isPending} onClick={() => keeping.mutate()}>
            {t`Keep as a new document`}
          </Button>
        </>
      }
    >
      {keeping.error && <ErrorPanel title={t`The document was not kept.`} problem={asProblem(keeping.error)} />}
    </Dialog>
  );
}
