import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { Download, Info, Send, Trash2 } from "lucide-react";
import { useState } from "react";
import { downloadDraft } from "@/api/draft-download";
import { draftQuery, renameDraft } from "@/api/drafts";
import type { DraftShown } from "@/api/types";
import { Reader } from "@/components/reader/Reader";
import { Button } from "@/components/ui/Button";
import { Bytes } from "@/components/ui/Bytes";
import { IconButton } from "@/components/ui/IconButton";
import { toastError } from "@/components/ui/toasts";
import { LazySendDialog } from "@/features/transfers/LazySendDialog";
import { DeleteDialog } from "./DeleteDialog";
import { DocumentName } from "./DocumentName";

interface ReadOnlyDocumentProps {
  draft: DraftShown;
  /** Its marked text; null if it is none. */
  content: string | null;
  /** Why it cannot be edited, in a sentence. */
  why: string;
}

/** A document that no editor holds: it is shown if it is text, and can be sent, downloaded, renamed and deleted. */
export function ReadOnlyDocument({ draft: first, content, why }: ReadOnlyDocumentProps) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { data: draft = first } = useQuery(draftQuery(first.id));
  const [naming, setNaming] = useState(false);
  const [sending, setSending] = useState(false);
  const [deleting, setDeleting] = useState(false);
  const renaming = useMutation({
    mutationFn: (name: string) => renameDraft(draft.id, draft.revision, name),
    onSuccess: (renamed) => client.setQueryData(draftQuery(draft.id).queryKey, renamed),
    onError: (error) => {
      toastError(t`The document was not renamed.`, error);
      void client.invalidateQueries({ queryKey: draftQuery(draft.id).queryKey });
    },
  });
  return (
    <div className="-mt-2 sm:-mt-4">
      <header className="mb-4 flex flex-wrap items-end justify-between gap-4">
        <div className="min-w-0 flex-1 basis-64">
          <Link to="/documents" className="text-quiet text-sm">
            {t`Documents`}
          </Link>
          <DocumentName
            name={renaming.isPending ? renaming.variables : draft.name}
            editing={naming}
            onEditing={setNaming}
            onName={(name) => renaming.mutate(name)}
          />
        </div>
        <div className="flex items-center gap-2">
          <IconButton label={t`Delete`} icon={<Trash2 />} onClick={() => setDeleting(true)} />
          <Button
            icon={<Download aria-hidden />}
            onClick={() =>
              void downloadDraft(draft).catch((error) => toastError(t`The document was not downloaded.`, error))
            }
          >
            {t`Download`}
          </Button>
          <Button tone="primary" icon={<Send aria-hidden />} onClick={() => setSending(true)}>
            {t`Send`}
          </Button>
        </div>
      </header>
      <div className="mb-4 flex gap-3 rounded-md border border-edge/50 bg-paper px-4 py-3 text-sm">
        <Info aria-hidden className="mt-0.5 size-4 shrink-0 text-quiet" />
        <div className="wrap-anywhere min-w-0">
          <p>
            {why} {t`You can still send and download it.`}
          </p>
          <p className="mt-1 text-quiet">
            <Trans>
              <Bytes value={draft.document_bytes} />, <Bytes value={draft.classified_bytes} /> of them classified
            </Trans>
            {content === null && `; ${draft.media_type}`}
          </p>
        </div>
      </div>
      {content !== null && <Reader marked={content} name={draft.name} />}
      <DeleteDialog
        draft={draft}
        saver={null}
        open={deleting}
        onOpenChange={setDeleting}
        onDeleted={() => void navigate({ to: "/documents" })}
      />
      {sending && <LazySendDialog drafts={[draft]} open onOpenChange={setSending} />}
    </div>
  );
}
