import { t } from "@lingui/core/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { digestOfAll } from "@/api/findings";
import { chosen, type Options } from "@/api/plan";
import { Problem } from "@/api/problem";
import { recentRecipientsQuery } from "@/api/recipients";
import { sendDocuments, transferQuery } from "@/api/transfers";
import type { DraftShown } from "@/api/types";
import { announce } from "@/components/announce";
import { toast, toastError } from "@/components/ui/toasts";
import { listText } from "@/lib/prose";
import { useStillOpen } from "@/lib/use-still-open";
import type { Cover } from "./CoverFields";
import { type Deadline, secondsOf } from "./deadline";
import { withDocumentNames } from "./with-document-names";

interface Destination {
  readonly peer: string;
  readonly recipients: string[];
  /** What the author saw: if that was the secure channel alone, nothing goes over the plain one. */
  readonly estimated_mode: "sieve" | "secure-only" | null;
}

/** For whom, and how. `confirm`: the digests of the findings of all documents, and the reason for ignoring them. */
export interface SendChoice {
  readonly to: readonly Destination[];
  readonly options: Options;
  readonly deadline: Deadline;
  readonly confirm: { digests: readonly string[]; reason: string } | null;
  readonly cover: Cover;
}

interface Around {
  drafts: readonly DraftShown[];
  /** The documents, for notices. */
  what: string;
  open: boolean;
  onSent: () => void;
  onFindingsChanged: () => void;
}

/** Sends the documents and opens the page of the transfer, or the list if there are several. */
export function useSend({ drafts, what, open, onSent, onFindingsChanged }: Around) {
  const client = useQueryClient();
  const navigate = useNavigate();
  // A person who closed the dialog while the gateway was working sees the result as a notice elsewhere.
  const stillOpen = useStillOpen(open);
  return useMutation({
    mutationFn: ({ to, options, deadline, confirm, cover }: SendChoice) => {
      const deadline_s = secondsOf(deadline, new Date());
      const answered = drafts.find(({ reply_to }) => reply_to)?.reply_to;
      return sendDocuments({
        document_ids: drafts.map(({ document_id }) => document_id),
        to: [...to],
        split: "range",
        ...(cover.note.trim() !== "" && { note: cover.note }),
        ...(cover.readReceipts && { read_receipts: true }),
        ...(answered && { in_reply_to: answered.entry_id }),
        ...chosen(options),
        ...(deadline_s !== null && { deadline_s }),
        ...(confirm && { confirm: { findings_digest: digestOf(confirm.digests), reason: confirm.reason } }),
      }).catch((error) => {
        throw withDocumentNames(error, drafts);
      });
    },
    onSuccess: async (sent, { to }) => {
      for (const transfer of sent) {
        client.setQueryData(transferQuery(transfer.id).queryKey, {
          ...transfer,
          ...{
            attempts: [],
            left: null,
            unknown_recipients: false,
            ahead: null,
            collecting: false,
            note: null,
            in_reply_to: null,
            replies: [],
            opened: null,
          },
        });
      }
      for (const queryKey of [["transfers"], ["drafts"], recentRecipientsQuery.queryKey]) {
        void client.invalidateQueries({ queryKey });
      }
      const where = listText(to.map(({ peer }) => peer));
      if (!stillOpen.current) {
        toast(t`Queued for ${where}`, what);
        return;
      }
      announce(t`Sending ${what} to ${where}`);
      onSent();
      const [first, ...others] = sent;
      if (first && others.length === 0) await navigate({ to: "/sent/$id", params: { id: first.id } });
      else await navigate({ to: "/sent" });
    },
    onError: (error) => {
      // A policy or what was sent before has changed, so check again.
      if (hasFindings(error)) onFindingsChanged();
      // One of several was saved or deleted meanwhile; the reloaded list shows which.
      if (drafts.length > 1) void client.invalidateQueries({ queryKey: ["drafts", "list"] });
      if (!stillOpen.current) {
        toastError(drafts.length === 1 ? t`“${what}” was not sent.` : t`${what} were not sent.`, error);
      }
    },
  });
}

/** Whether sending was refused for what the leak check found. */
export function hasFindings(error: unknown): boolean {
  return error instanceof Problem && error.extra.kind === "open-findings";
}

/** The digest that confirms the findings of all documents; one document keeps its own. */
function digestOf(digests: readonly string[]): string {
  const [first = "", ...others] = digests;
  return others.length === 0 ? first : digestOfAll(digests);
}
