import { t } from "@lingui/core/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Forward } from "lucide-react";
import { draftQuery } from "@/api/drafts";
import { forwardEntry } from "@/api/inbox";
import type { EntryShown } from "@/api/types";
import { Button } from "@/components/ui/Button";
import { toastError } from "@/components/ui/toasts";
import { useSession } from "@/session/session";
import { isWhole } from "./entry";

/** Makes a document of this one, with its marks, and opens it; without clearance, of its redacted edition. */
export function ForwardButton({ entry }: { entry: EntryShown }) {
  const { person } = useSession();
  const client = useQueryClient();
  const navigate = useNavigate();
  const whole = isWhole(entry);
  const forward = useMutation({
    mutationFn: () => forwardEntry(entry.id, whole ? "marked" : "redacted"),
    onSuccess: async (draft) => {
      client.setQueryData(draftQuery(draft.id).queryKey, draft);
      void client.invalidateQueries({ queryKey: ["drafts", "list"] });
      await navigate({ to: "/documents/$id", params: { id: draft.id } });
    },
    onError: (error) => toastError(t`Could not forward the document.`, error),
  });
  if (!person.is_author || entry.editions.length === 0) return null;
  return (
    <Button icon={<Forward />} busy={forward.isPending} onClick={() => forward.mutate()}>
      {whole ? t`Forward` : t`Forward redacted`}
    </Button>
  );
}

/** Why the reader cannot forward the document, or only its redacted edition; null if they can forward all of it. */
export function useWhyNotForwarded(entry: EntryShown): string | null {
  const { person } = useSession();
  // The page says so at its top.
  if (!person.is_author || isWhole(entry)) return null;
  if (entry.withheld !== "not-cleared" && entry.editions.length > 0) {
    return t`You can forward the redacted edition until a second admin agrees that you read the whole document.`;
  }
  return entry.editions.length > 0
    ? t`You can forward the redacted edition. Only cleared recipients can forward the whole document.`
    : t`Only cleared recipients can forward this document.`;
}
