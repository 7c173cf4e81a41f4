import { t } from "@lingui/core/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Reply } from "lucide-react";
import { createReply, draftQuery } from "@/api/drafts";
import type { EntryShown } from "@/api/types";
import { useSession } from "@/app/session";
import { Button } from "@/components/ui/Button";
import { toastError } from "@/components/ui/toasts";
import { replyName } from "./reply-name";

/** Creates a document that answers this one, with the sender chosen, and opens it. Only authors can send. */
export function ReplyButton({ entry }: { entry: EntryShown }) {
  const { person } = useSession();
  const client = useQueryClient();
  const navigate = useNavigate();
  const reply = useMutation({
    mutationFn: () => createReply(entry.id, replyName(entry.name)),
    onSuccess: async (draft) => {
      client.setQueryData(draftQuery(draft.id).queryKey, draft);
      void client.invalidateQueries({ queryKey: ["drafts", "list"] });
      await navigate({ to: "/documents/$id", params: { id: draft.id } });
    },
    onError: (error) => toastError(t`Could not reply.`, error),
  });
  if (!person.is_author) return null;
  return <Button icon={<Reply />} busy={reply.isPending} onClick={() => reply.mutate()}>{t`Reply`}</Button>;
}
