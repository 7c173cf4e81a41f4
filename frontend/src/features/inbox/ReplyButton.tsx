import { t } from "@lingui/core/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Reply } from "lucide-react";
import { useState } from "react";
import { createReply, draftQuery } from "@/api/drafts";
import { Problem } from "@/api/problem";
import type { EntryShown } from "@/api/types";
import { Button } from "@/components/ui/Button";
import { FormDialog } from "@/components/ui/FormDialog";
import { RadioGroup } from "@/components/ui/RadioGroup";
import { toastError } from "@/components/ui/toasts";
import { useSession } from "@/session/session";
import { replyName } from "./reply-name";

/** Somebody who has the sender's name. */
interface Candidate {
  readonly login: string;
  readonly unit: string | null;
}

/**
 * Creates a document that answers this one, with the sender chosen, and opens it. It asks whom, if the sender's gateway has
 * several people of that name and does not say who sent it. Only authors can send.
 */
export function ReplyButton({ entry }: { entry: EntryShown }) {
  const { person } = useSession();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [candidates, setCandidates] = useState<readonly Candidate[]>([]);
  const [login, setLogin] = useState("");
  const reply = useMutation({
    mutationFn: (chosen?: string) => createReply(entry.id, replyName(entry.name), chosen),
    onSuccess: async (draft) => {
      client.setQueryData(draftQuery(draft.id).queryKey, draft);
      void client.invalidateQueries({ queryKey: ["drafts", "list"] });
      await navigate({ to: "/documents/$id", params: { id: draft.id } });
    },
    onError: (error, chosen) => {
      const found = candidatesIn(error);
      if (found.length > 0) setCandidates(found);
      // The dialog shows its own errors.
      else if (chosen === undefined) toastError(t`Could not reply.`, error);
    },
  });
  if (!person.is_author) return null;
  const close = () => {
    setCandidates([]);
    setLogin("");
    reply.reset();
  };
  return (
    <>
      <Button icon={<Reply />} busy={reply.isPending} onClick={() => reply.mutate(undefined)}>
        {t`Reply`}
      </Button>
      {candidates.length > 0 && (
        <FormDialog
          onClose={close}
          title={t`To whom does the reply go?`}
          description={t`${{ peer: entry.peer }} has several people named ${{ name: entry.sender }}, and does not say who sent this document.`}
          confirm={t`Reply`}
          ready={login !== ""}
          action={{ isPending: reply.isPending, error: candidatesIn(reply.error).length > 0 ? null : reply.error }}
          onSubmit={() => reply.mutate(login)}
        >
          <RadioGroup
            label={t`Login`}
            value={login}
            onValueChange={setLogin}
            choices={candidates.map((one) => ({ value: one.login, label: one.login, hint: one.unit }))}
          />
        </FormDialog>
      )}
    </>
  );
}

/** The people among whom the gateway cannot tell the sender; none if the error is another one. */
function candidatesIn(error: unknown): readonly Candidate[] {
  if (!(error instanceof Problem) || error.extra.kind !== "several-senders") return [];
  return error.extra.candidates as readonly Candidate[];
}
