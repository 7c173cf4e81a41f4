import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { EyeOff, Send } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { digestOfAll, type FindingShown, MOST_REASON } from "@/api/findings";
import { peersQuery, recipientsQuery } from "@/api/peers";
import { chosen, planQuery, shownMode } from "@/api/plan";
import { Problem } from "@/api/problem";
import { sendDocument, sendTogether, transferQuery } from "@/api/transfers";
import type { DraftShown, PeerShown, RecipientShown, TransferShown } from "@/api/types";
import { announce } from "@/components/announce";
import { Button } from "@/components/ui/Button";
import { Dialog } from "@/components/ui/Dialog";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { Skeleton } from "@/components/ui/Skeleton";
import { toast, toastError } from "@/components/ui/toasts";
import { capitalised } from "@/lib/prose";
import { useStillOpen } from "@/lib/use-still-open";
import { BannerLine } from "./BannerLine";
import { ChannelSplit } from "./ChannelSplit";
import { allPlain, channelBytesOf } from "./channel-bytes";
import { DocumentsToSend } from "./DocumentsToSend";
import { EditionsLine } from "./EditionsLine";
import { NoPeer } from "./NoPeer";
import { NothingClassifiedWarning } from "./NothingClassifiedWarning";
import { OpenFindings } from "./OpenFindings";
import { PeerField } from "./PeerField";
import { RecipientsField } from "./RecipientsField";
import { DEFAULT_OPTIONS, SendOptions } from "./SendOptions";
import { unclearedNotes } from "./uncleared-notes";
import { useEditions } from "./use-editions";
import { useLeakChecks } from "./use-leak-checks";
import { useSlow } from "./use-slow";
import { withDocumentNames } from "./with-document-names";

const NOBODY: readonly RecipientShown[] = [];

interface SendDialogProps {
  /** The saved documents to send: one, or several together. */
  drafts: readonly DraftShown[];
  /** Removes one of several documents. */
  onLeaveOut?: (draft: DraftShown) => void;
  /** The author's reasons for ignoring findings. */
  reasons?: readonly string[];
  /** Shows a finding in the document; the dialog closes. */
  onShow?: (finding: FindingShown) => void;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

/**
 * Chooses recipients and options, sends, and opens the page of the transfer. It keeps the choices while it is closed.
 */
export function SendDialog({ drafts, onLeaveOut, reasons = [], onShow, open, onOpenChange }: SendDialogProps) {
  const only = drafts.length === 1 ? drafts[0] : undefined;
  const what = only ? only.name : `${drafts.length} documents`;
  const client = useQueryClient();
  const navigate = useNavigate();
  // Loaded each time, because an admin may have paired another gateway.
  const peers = useQuery({ ...peersQuery, enabled: open, staleTime: 0 });
  const active = peers.data?.filter(({ state }) => state === "active") ?? [];
  const [chosenPeer, setPeer] = useState<string | null>(null);
  const peer = peerOf(active, chosenPeer, drafts);
  const [logins, setLogins] = useState<readonly string[]>([]);
  const [options, setOptions] = useState(DEFAULT_OPTIONS);
  const { mode } = options;
  const [sure, setSure] = useState(false);
  const leakChecks = useLeakChecks(drafts, open);
  const { found } = leakChecks;
  // Until the author types a reason: those given when the findings were ignored.
  const [typedReason, setTypedReason] = useState<string | null>(null);
  const reason = typedReason ?? reasons.join("; ").slice(0, MOST_REASON);
  const maySend =
    found.length === 0 || (found.every(({ checked }) => checked.rule === "confirm") && reason.trim() !== "");
  // Counts attempts to send; after the first, the dialog shows what is missing.
  const [attempts, setAttempts] = useState(0);
  const attempted = attempts > 0;
  const body = useRef<HTMLDivElement>(null);
  const fields = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (attempts > 0) focusFault(fields.current);
  }, [attempts]);
  // Only reads what the field below has loaded, so that just one query asks the peer.
  const known = useQuery({ ...recipientsQuery(peer ?? ""), enabled: false }).data ?? NOBODY;
  const recipients = known.filter(({ name }) => logins.includes(name));
  // Removing the last but one document removes the list, with the button that had the focus.
  useEffect(() => {
    if (only && document.activeElement === document.body) body.current?.focus();
  }, [only]);
  // The first field appears once the peer has answered; until then the dialog has the focus.
  useEffect(() => {
    if (known.length === 0 || document.activeElement !== body.current) return;
    body.current?.querySelector<HTMLElement>("[role=combobox]")?.focus();
  }, [known]);
  const sum = sumOf(drafts);
  const work = { bytes: sum.document_bytes, classified: sum.classified_bytes, documents: drafts.length };
  const channelBytes = channelBytesOf(sum, mode);
  const readable = drafts.filter((draft) => allPlain(channelBytesOf(draft, mode)));
  const editions = useEditions(drafts, open);
  const clearanceNotes = unclearedNotes(
    recipients,
    drafts.map((draft) => {
      const known = editions.known.find((each) => each.draft.id === draft.id);
      if (known) return { ...draft, redacted_bytes: known.bytes };
      const has = (of: readonly DraftShown[]) => of.some(({ id }) => id === draft.id);
      // Makes no claim about an edition before the answer is known.
      if (has(editions.asked)) return { ...draft, edition: "asked" as const };
      return has(editions.unknown) ? { ...draft, edition: "unknown" as const } : draft;
    }),
  );

  // A person who closed the dialog while the gateway was working sees the result as a notice elsewhere.
  const stillOpen = useStillOpen(open);
  const sending = useMutation({
    mutationFn: async (to: string): Promise<readonly TransferShown[]> => {
      const way = {
        peer: to,
        recipients: recipients.map(({ name }) => name),
        split: "range" as const,
        ...chosen(options),
        // What the author saw: if that was the secure channel alone, nothing goes over the plain one.
        estimated_mode: shownMode(client.getQueryData(planQuery(to, work, options).queryKey)),
      };
      const confirm = (digest: string) =>
        found.length > 0 && { confirm: { findings_digest: digest, reason: reason.trim() } };
      const [first, ...others] = drafts.map(({ document_id }) => document_id);
      if (first === undefined) return [];
      if (others.length > 0) {
        const typedReason = confirm(digestOfAll(leakChecks.digests));
        return sendTogether({ document_ids: [first, ...others], ...way, ...typedReason }).catch((error) => {
          throw withDocumentNames(error, drafts);
        });
      }
      return [await sendDocument({ document_id: first, ...way, ...confirm(leakChecks.digests[0] ?? "") })];
    },
    onSuccess: async (sent, to) => {
      for (const transfer of sent) {
        client.setQueryData(transferQuery(transfer.id).queryKey, {
          ...transfer,
          attempts: [],
          left: null,
          unknown_recipients: false,
        });
      }
      for (const key of ["transfers", "drafts"]) void client.invalidateQueries({ queryKey: [key] });
      if (!stillOpen.current) {
        toast(`Queued for ${to}`, what);
        return;
      }
      announce(`Sending ${what} to ${to}`);
      onOpenChange(false);
      const [first, ...others] = sent;
      if (first && others.length === 0) await navigate({ to: "/sent/$id", params: { id: first.id } });
      else await navigate({ to: "/sent" });
    },
    onError: (error) => {
      // A policy or what was sent before has changed, so check again.
      if (hasFindings(error)) leakChecks.checkAgain();
      // One of several was saved or deleted meanwhile; the reloaded list shows which.
      if (!only) void client.invalidateQueries({ queryKey: ["drafts", "list"] });
      if (!stillOpen.current) toastError(only ? `“${what}” was not sent.` : `${what} were not sent.`, error);
    },
  });
  const slow = useSlow(sending.isPending);
  const send = () => {
    setAttempts(attempts + 1);
    if (peer !== null && recipients.length > 0 && (sure || readable.length === 0) && maySend) sending.mutate(peer);
  };
  const close = (next: boolean) => {
    onOpenChange(next);
    if (next) return;
    // The confirmation counts for one attempt only.
    setSure(false);
    setAttempts(0);
    if (!sending.isPending) sending.reset();
  };

  return (
    <Dialog
      open={open}
      onOpenChange={close}
      title={only ? "Send this document" : `Send ${what}`}
      initialFocus={body}
      description={
        only ? (
          <p className="wrap-anywhere line-clamp-3">{what}</p>
        ) : (
          <p>All documents go to the same recipients. Each is delivered separately, with its own receipt.</p>
        )
      }
      footer={
        <>
          {sending.error && !(found.length > 0 && hasFindings(sending.error)) && (
            <ErrorPanel
              title={only ? "The document was not sent." : "None of the documents were sent."}
              problem={sending.error}
              className="w-full"
            />
          )}
          {slow && (
            <p role="status" className="w-full text-sm">
              {capitalised(peer ?? "")} is slow to confirm the recipients. You can close this window; sending continues.
            </p>
          )}
          <Button onClick={() => close(false)}>{sending.isPending ? "Close" : "Cancel"}</Button>
          {active.length > 0 && (
            <Button
              tone="primary"
              icon={<Send aria-hidden />}
              busy={sending.isPending}
              // The recipients are not loaded, or there are none; the field says which.
              disabled={peer !== null && known.length === 0}
              onClick={send}
            >
              Send
            </Button>
          )}
        </>
      }
    >
      <div ref={body} tabIndex={-1} className="outline-none">
        {peers.error && !peers.data && (
          <ErrorPanel title="Could not load the gateways." problem={peers.error} onRetry={() => void peers.refetch()} />
        )}
        {peers.isPending && <Skeleton label="Loading the gateways" />}
        {peers.data && active.length === 0 && <NoPeer peers={peers.data} />}
        {active.length > 0 && (
          // No form, because Enter in the recipients' field must never send a document.
          <div ref={fields} className="flex flex-col gap-6">
            <div className="flex flex-col gap-4">
              <PeerField
                names={active.map(({ name }) => name)}
                value={peer}
                onValueChange={(name) => {
                  setPeer(name);
                  setLogins([]);
                }}
                missing={attempted && peer === null}
              />
              {peer !== null && (
                <RecipientsField
                  peer={peer}
                  value={logins}
                  onValueChange={setLogins}
                  error={attempted && recipients.length === 0 ? "Choose at least one recipient." : null}
                />
              )}
              {clearanceNotes.length > 0 && (
                <div role="status" className="flex gap-3 rounded-md bg-sunken px-4 py-3 text-sm">
                  <EyeOff aria-hidden className="mt-0.5 size-4 shrink-0 text-quiet" />
                  <div className="wrap-anywhere min-w-0">
                    {clearanceNotes.map((note) => (
                      <p key={note}>{note}</p>
                    ))}
                  </div>
                </div>
              )}
            </div>
            {only && <BannerLine draft={only} />}
            {onLeaveOut && drafts.length > 1 && <DocumentsToSend drafts={drafts} onLeaveOut={onLeaveOut} />}
            <SendOptions peer={peer} work={work} options={options} onOptions={setOptions} />
            <ChannelSplit travel={channelBytes} />
            <EditionsLine editions={editions} several={!only} />
            {leakChecks.pending && <p className="text-quiet text-sm">Checking for leaks…</p>}
            {leakChecks.error && (
              <ErrorPanel title="The leak check could not run." problem={leakChecks.error} onRetry={leakChecks.retry} />
            )}
            {found.length > 0 && (
              <OpenFindings
                found={found}
                of={drafts.length}
                changed={hasFindings(sending.error)}
                reason={reason}
                onReason={setTypedReason}
                missing={attempted && !maySend}
                onShow={
                  onShow
                    ? (finding) => {
                        close(false);
                        onShow(finding);
                      }
                    : null
                }
              />
            )}
            {readable.length > 0 && (
              <NothingClassifiedWarning
                readable={readable}
                of={drafts.length}
                sure={sure}
                onSure={setSure}
                missing={attempted && !sure}
              />
            )}
          </div>
        )}
      </div>
    </Dialog>
  );
}

/** Whether sending was refused for what the leak check found. */
function hasFindings(error: unknown): boolean {
  return error instanceof Problem && error.extra.kind === "open-findings";
}

/** The total bytes. */
function sumOf(drafts: readonly DraftShown[]) {
  const of = (part: "document_bytes" | "classified_bytes" | "plain_bytes") =>
    drafts.reduce((sum, draft) => sum + draft[part], 0);
  return {
    document_bytes: of("document_bytes"),
    classified_bytes: of("classified_bytes"),
    plain_bytes: of("plain_bytes"),
  };
}

/** The gateway to send to: the chosen one; otherwise the one that all documents went to last, or the only one. */
function peerOf(active: readonly PeerShown[], chosen: string | null, drafts: readonly DraftShown[]): string | null {
  const [last, ...others] = new Set(drafts.map(({ last_transfer }) => last_transfer?.peer));
  const wanted = chosen ?? (others.length === 0 ? last : undefined);
  const only = active.length === 1 ? active[0] : undefined;
  return (active.find(({ name }) => name === wanted) ?? only)?.name ?? null;
}

/** Focuses the first missing input and scrolls its error into view. */
function focusFault(fields: HTMLElement | null): void {
  const fault = fields?.querySelector<HTMLElement>("input[aria-invalid=true], [data-fault]");
  // A text field comes before buttons.
  const control = fault?.matches("input")
    ? fault
    : (fault?.querySelector<HTMLElement>("textarea") ?? fault?.querySelector<HTMLElement>("button, [role=checkbox]"));
  control?.focus();
  fault?.scrollIntoView({ block: "nearest" });
}
