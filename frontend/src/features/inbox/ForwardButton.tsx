import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Forward } from "lucide-react";
import { draftQuery } from "@/api/drafts";
import { forwardEntry } from "@/api/inbox";
import type { EntryShown } from "@/api/types";
import { useSession } from "@/app/session";
import { Button } from "@/components/ui/Button";
import { toastError } from "@/components/ui/toasts";
import { isWhole } from "./entry";

/** Makes a document of this one, with its marks, and opens it. Only cleared authors can. */
export function ForwardButton({ entry }: { entry: EntryShown }) {
  const { person } = useSession();
  const client = useQueryClient();
  const navigate = useNavigate();
  const forward = useMutation({
    mutationFn: () => forwardEntry(entry.id),
    onSuccess: async (draft) => {
      client.setQueryData(draftQuery(draft.id).queryKey, draft);
      void client.invalidateQueries({ queryKey: ["drafts", "list"] });
      await navigate({ to: "/documents/$id", params: { id: draft.id } });
    },
    onError: (error) => toastError("Could not forward the document.", error),
  });
  if (!isWhole(entry) || !person.is_author) return null;
  return (
    <Button icon={<Forward />} busy={forward.isPending} onClick={() => forward.mutate()}>
      Forward
    </Button>
  );
}

/** Why the reader cannot forward the document; null if they can. */
export function useWhyNotForwarded(entry: EntryShown): string | null {
  const { person } = useSession();
  if (!isWhole(entry)) return "Only cleared recipients can forward this document.";
  return person.is_author ? null : "Only authors can forward documents. Ask an admin for the author role.";
}
