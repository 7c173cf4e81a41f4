import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import { draftTextQuery } from "@/api/drafts";
import type { FileDraft } from "@/api/files";
import { Problem } from "@/api/problem";
import { Reader } from "@/components/reader/Reader";
import { whyNotShown } from "@/components/reader/why-not-shown";
import { Button } from "@/components/ui/Button";
import { Dialog } from "@/components/ui/Dialog";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { Skeleton } from "@/components/ui/Skeleton";
import { NotUtf8 } from "@/marked-text/markup";
import { useLatestSave } from "./use-latest-save";

interface TextDialogProps {
  draft: FileDraft;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

/** The text of a table's file, with what is classified in it. */
export function TextDialog({ draft, open, onOpenChange }: TextDialogProps) {
  const close = useRef<HTMLButtonElement>(null);
  const saved = useLatestSave(open);
  const why = whyNotShown("text/plain", draft.document_bytes);
  const text = useQuery({ ...draftTextQuery(draft.id, draft.revision), enabled: open && saved && why === null });
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={t`The table as text`}
      description={t`The file as it is stored, with its marks.`}
      width="lg"
      initialFocus={close}
      footer={
        <Button ref={close} onClick={() => onOpenChange(false)}>
          <Trans>Close</Trans>
        </Button>
      }
    >
      {why !== null && <p className="text-sm">{why}</p>}
      {text.error && (
        <ErrorPanel
          title={t`Could not show the text.`}
          problem={text.error instanceof NotUtf8 ? new Problem(0, t`The file is not valid UTF-8 text.`) : text.error}
          onRetry={() => text.refetch()}
        />
      )}
      {why === null && text.isPending && <Skeleton lines={8} label={t`Loading the text`} />}
      {text.data !== undefined && (
        // Its bar sticks to the top of the dialog, where no header of a page is.
        <div className="[--reader-top:0px]">
          <Reader marked={text.data} name={draft.name} />
        </div>
      )}
    </Dialog>
  );
}
