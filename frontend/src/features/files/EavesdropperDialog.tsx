import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import type { FileDraft } from "@/api/files";
import { ChannelIcon } from "@/components/channels";
import { Button } from "@/components/ui/Button";
import { Bytes } from "@/components/ui/Bytes";
import { Dialog } from "@/components/ui/Dialog";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { Skeleton } from "@/components/ui/Skeleton";
import { eavesdropped, readsAsText } from "./eavesdropped";
import { FirstLines } from "./FirstLines";
import { plainFirstLines } from "./first-lines";
import { useLatestSave } from "./use-latest-save";

interface EavesdropperDialogProps {
  draft: FileDraft;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

/** What is sent in the clear, in words; for a table also its first lines, exactly as sent. */
export function EavesdropperDialog({ draft, open, onOpenChange }: EavesdropperDialogProps) {
  const close = useRef<HTMLButtonElement>(null);
  const saved = useLatestSave(open);
  const { seen, unseen } = eavesdropped(draft);
  const shows = readsAsText(draft.format) && draft.plain_bytes > 0;
  const head = useQuery({
    queryKey: ["content", "plain head", draft.id, draft.revision],
    queryFn: ({ signal }) => plainFirstLines(draft.id, signal),
    enabled: open && saved && shows,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={t`What an eavesdropper sees`}
      width={shows ? "lg" : "md"}
      initialFocus={close}
      footer={<Button ref={close} onClick={() => onOpenChange(false)}>{t`Close`}</Button>}
    >
      <div className="flex flex-col gap-4 text-sm">
        {!saved && (
          <p
            role="status"
            className="text-quiet"
          >{t`Some of your marks are not saved yet. This shows the last saved version.`}</p>
        )}
        <p className="flex items-center gap-2 font-medium text-plain">
          <ChannelIcon channel="plain" />
          <span>
            <Trans>
              <Bytes value={draft.plain_bytes} /> of <Bytes value={draft.document_bytes} /> is sent unencrypted
            </Trans>
          </span>
        </p>
        <p>{seen}</p>
        {unseen && (
          <p className="flex gap-2">
            <ChannelIcon channel="secure" className="mt-0.5" />
            <span>{unseen}</span>
          </p>
        )}
        {shows && saved && head.isPending && <Skeleton label={t`Loading the first lines`} lines={4} />}
        {shows && head.error && (
          <ErrorPanel
            title={t`The first lines could not be loaded.`}
            problem={head.error}
            onRetry={() => head.refetch()}
          />
        )}
        {shows && head.data && <FirstLines label={t`The first lines as they are sent`} head={head.data} eavesdropped />}
      </div>
    </Dialog>
  );
}
